// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/product.hpp"

#include <algorithm>

namespace levee::flash {

std::int32_t weight_at(const ProductFormat& format, std::span<const std::uint8_t> page,
                       std::size_t index)
{
    if (format.weight_bits == 8)
        return static_cast<std::int8_t>(page[index]);
    const int nibble = page[index / 2] >> index % 2 * 4 & 15;
    return nibble < 8 ? nibble : nibble - 16;
}

std::int32_t input_at(const ProductFormat& format, std::span<const std::uint8_t> vector,
                      std::size_t index)
{
    if (format.input_bytes == 1)
        return static_cast<std::int8_t>(vector[index]);
    return static_cast<std::int16_t>(vector[2 * index] | vector[2 * index + 1] << 8);
}

void copy_weights(std::uint32_t weight_bits, std::span<const std::uint8_t> source, std::size_t from,
                  std::size_t count, std::span<std::uint8_t> target, std::size_t to)
{
    if (weight_bits == 8) {
        std::copy_n(source.data() + from, count, target.data() + to);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const int code = source[(from + i) / 2] >> (from + i) % 2 * 4 & 15;
        std::uint8_t& byte = target[(to + i) / 2];
        byte = static_cast<std::uint8_t>(byte | code << (to + i) % 2 * 4);
    }
}

void multiply_page(const ProductFormat& format, std::span<const std::uint8_t> page,
                   std::uint32_t stride, std::span<const std::uint8_t> vector, std::size_t first,
                   std::uint32_t columns, std::span<std::int64_t> sums)
{
    for (std::size_t row = 0; row < sums.size(); ++row)
        for (std::uint32_t i = 0; i < columns; ++i)
            sums[row] += std::int64_t{weight_at(format, page, row * stride + i)} *
                         input_at(format, vector, first + i);
}

Requantised requantise(std::int64_t sum, std::uint32_t shift, std::uint32_t bytes)
{
    const std::int64_t largest = bytes == 1 ? 127 : 32767;
    const std::int64_t half = shift == 0 ? 0 : std::int64_t{1} << (shift - 1);
    const std::int64_t rounded = (sum + half) >> shift;
    const std::int64_t value = std::clamp(rounded, -largest, largest);
    return {value * (std::int64_t{1} << shift), value != rounded};
}

} // namespace levee::flash
