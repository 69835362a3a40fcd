// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim_macro/engine.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim_macro {

/// INT8 weights in a model's layout: a row for each output, `row_bytes` apart.
struct Weights {
    std::span<const std::int8_t> data;
    std::uint32_t outputs = 0, inputs = 0, row_bytes = 0;
};

/// Exact products of `vectors` ([vector][inputs]) with a matrix larger than the macro:
/// [vector][outputs]. One macro takes the part of each macro of the matrix in turn: each tile is
/// loaded, padded with 0, and multiplied with all vectors, and the sums of tiles along the inputs
/// are added.
[[nodiscard]] std::vector<std::int64_t> multiply_tiles(Engine& engine, const Weights& weights,
                                                       std::span<const std::int16_t> vectors,
                                                       InputType type);

} // namespace levee::cim_macro
