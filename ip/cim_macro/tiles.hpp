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

/// Returns exact products, [vector][outputs], of `vectors`, [vector][inputs], with a matrix that
/// may be larger than the macro. One macro computes all tiles in turn. Each tile is loaded, padded
/// with 0 and multiplied by all vectors. For each output, the sums of tiles with different inputs
/// are added.
[[nodiscard]] std::vector<std::int64_t> multiply_tiles(Engine& engine, const Weights& weights,
                                                       std::span<const std::int16_t> vectors,
                                                       InputType type);

} // namespace levee::cim_macro
