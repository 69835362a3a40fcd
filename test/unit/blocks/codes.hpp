// SPDX-License-Identifier: Apache-2.0
// Writes vectors to memory as integer codes.
#pragma once

#include "core/abi/element_type.h"
#include "ip/sfu/model.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace levee::test {

/// Selects INT16, INT8 or INT4 by a random word.
inline std::uint8_t integer_type(std::uint32_t word)
{
    constexpr std::uint8_t types[] = {LEVEE_TYPE_INT16, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8,
                                      LEVEE_TYPE_INT4};
    return types[word % 4];
}

inline bool is_coded(unsigned type)
{
    return type == LEVEE_TYPE_INT16 || type == LEVEE_TYPE_INT8 || type == LEVEE_TYPE_INT4;
}

/// Writes `vector` to `at` as INT16, INT8 or INT4 codes (INT4: two per byte, low nibble first).
/// Returns their scale.
inline float quantised(const std::vector<float>& vector, unsigned type, std::uint8_t* at)
{
    if (type == LEVEE_TYPE_INT16) {
        std::vector<std::int16_t> codes(vector.size());
        const float scale = sfu::quantise(vector, codes);
        std::memcpy(at, codes.data(), 2 * codes.size());
        return scale;
    }
    std::vector<std::int8_t> codes(vector.size() + 1, 0); // An odd number of codes is padded with
                                                          // 0.
    const float scale =
        type == LEVEE_TYPE_INT8 ? sfu::quantise8(vector, codes) : sfu::quantise4(vector, codes);
    if (type == LEVEE_TYPE_INT8)
        std::memcpy(at, codes.data(), vector.size());
    else
        for (std::size_t i = 0; i < vector.size(); i += 2)
            at[i / 2] = static_cast<std::uint8_t>((codes[i] & 0xF) | (codes[i + 1] & 0xF) << 4);
    return scale;
}

} // namespace levee::test
