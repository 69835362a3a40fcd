// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/model.hpp"

namespace levee::cim_macro {

std::vector<std::int32_t> multiply(const Shape& shape, std::span<const std::int8_t> weights,
                                   std::span<const std::int16_t> inputs)
{
    std::vector<std::int32_t> sums(shape.outputs);
    for (std::size_t i = 0; i < shape.inputs; ++i)
        for (std::size_t o = 0; o < shape.outputs; ++o)
            sums[o] += std::int32_t{inputs[i]} * weights[i * shape.outputs + o];
    return sums;
}

std::vector<std::int32_t> multiply_by_bits(const Shape& shape, std::span<const std::int8_t> weights,
                                           std::span<const std::int16_t> inputs, InputType type)
{
    const unsigned bits = passes(type) * pass_bits;
    std::vector<std::int32_t> sums(shape.outputs);
    for (unsigned bit = bits; bit-- > 0;)
        for (std::size_t o = 0; o < shape.outputs; ++o) {
            std::int32_t tree = 0;
            for (std::size_t i = 0; i < shape.inputs; ++i)
                if ((static_cast<std::uint16_t>(inputs[i]) >> bit & 1) != 0)
                    tree += weights[i * shape.outputs + o];
            const bool negative = bit + 1 == bits && type != InputType::Uint8;
            sums[o] = 2 * sums[o] + (negative ? -tree : tree);
        }
    return sums;
}

} // namespace levee::cim_macro
