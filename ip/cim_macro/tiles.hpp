// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim_macro/engine.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim_macro {

/// INT8 weights as models have them: a row for each output, `row_bytes` apart.
struct Weights {
    std::span<const std::int8_t> data;
    std::uint32_t outputs = 0, inputs = 0, row_bytes = 0;
};

/// Products of `vectors` ([vector][inputs]) with a matrix larger than the macro, exact: [vector]
/// [outputs]. One macro takes the place of each of the matrix's in turn: tiles of its inputs and
/// outputs are loaded, what lies beyond the matrix as 0, and multiplied with all vectors; sums of
/// tiles over inputs are added.
[[nodiscard]] std::vector<std::int64_t> multiply_tiles(Engine& engine, const Weights& weights,
                                                       std::span<const std::int16_t> vectors,
                                                       InputType type);

} // namespace levee::cim_macro
