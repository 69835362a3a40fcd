// SPDX-License-Identifier: Apache-2.0
// Elements of tensors in their packed layout (enum levee_type in core/abi/element_type.h).
#pragma once

#include "core/numerics/tensor.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace levee {

// Element `index` of a row of type INT16, INT8, INT4 or INT3.
inline std::int32_t integer_element(const std::byte* row, levee_type type, std::size_t index)
{
    if (type == LEVEE_TYPE_INT16) {
        std::int16_t value;
        std::memcpy(&value, row + 2 * index, sizeof value);
        return value;
    }
    if (type == LEVEE_TYPE_INT8)
        return static_cast<std::int8_t>(row[index]);
    if (type == LEVEE_TYPE_INT3) {
        const std::size_t bit = 3 * index;
        auto bits = static_cast<unsigned>(row[bit / 8]) >> bit % 8;
        if (bit % 8 > 5) // The rest of the element is in the next byte, which the row must have.
            bits |= static_cast<unsigned>(row[bit / 8 + 1]) << (8 - bit % 8);
        return static_cast<std::int8_t>(static_cast<std::uint8_t>(bits << 5)) >> 5;
    }
    const auto pair = static_cast<unsigned>(row[index / 2]);
    const auto nibble = static_cast<std::uint8_t>(index % 2 == 0 ? pair << 4 : pair & 0xF0u);
    return static_cast<std::int8_t>(nibble) >> 4;
}

// Packs INT4 codes, one per byte, into a row with two per byte, low nibble first. An odd number is
// padded with 0. `row` has (codes.size() + 1) / 2 bytes.
inline void pack_int4(std::span<const std::int8_t> codes, std::uint8_t* row)
{
    for (std::size_t i = 0; i < codes.size(); i += 2) {
        const unsigned low = static_cast<std::uint8_t>(codes[i]) & 0xFu;
        const unsigned high = i + 1 < codes.size() ? static_cast<std::uint8_t>(codes[i + 1]) : 0u;
        row[i / 2] = static_cast<std::uint8_t>(low | high << 4);
    }
}

} // namespace levee
