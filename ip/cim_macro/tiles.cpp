// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/tiles.hpp"

#include <algorithm>

namespace levee::cim_macro {

namespace {

/// Returns the weights of the tile that starts at (input, output), as [input][output].
std::vector<std::int8_t> tile_of(const Weights& weights, const Shape& shape, std::uint32_t input,
                                 std::uint32_t output)
{
    std::vector<std::int8_t> tile(std::size_t{shape.inputs} * shape.outputs);
    for (std::uint32_t o = output; o < std::min(output + shape.outputs, weights.outputs); ++o)
        for (std::uint32_t i = input; i < std::min(input + shape.inputs, weights.inputs); ++i)
            tile[std::size_t{i - input} * shape.outputs + o - output] =
                weights.data[std::size_t{o} * weights.row_bytes + i];
    return tile;
}

} // namespace

std::vector<std::int64_t> multiply_tiles(Engine& engine, const Weights& weights,
                                         std::span<const std::int16_t> vectors, InputType type)
{
    const Shape shape = engine.shape();
    const std::size_t count = vectors.size() / weights.inputs;
    std::vector<std::int64_t> sums(count * weights.outputs);
    std::vector<std::vector<std::int16_t>> parts(count);
    for (std::uint32_t input = 0; input < weights.inputs; input += shape.inputs) {
        const std::uint32_t length = std::min(shape.inputs, weights.inputs - input);
        for (std::size_t v = 0; v < count; ++v) {
            const auto part = vectors.subspan(v * weights.inputs + input, length);
            parts[v].assign(part.begin(), part.end());
            parts[v].resize(shape.inputs);
        }
        for (std::uint32_t output = 0; output < weights.outputs; output += shape.outputs) {
            engine.load(tile_of(weights, shape, input, output));
            const auto found = engine.multiply(parts, type);
            const std::uint32_t width = std::min(shape.outputs, weights.outputs - output);
            for (std::size_t v = 0; v < count; ++v)
                for (std::uint32_t o = 0; o < width; ++o)
                    sums[v * weights.outputs + output + o] += found[v][o];
        }
    }
    return sums;
}

} // namespace levee::cim_macro
