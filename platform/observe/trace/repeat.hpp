// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::trace {

/// A part of a text that is equal to the characters `distance` positions earlier.
struct Repeat {
    std::uint32_t at;     ///< position of its first character in the text
    std::uint16_t length; ///< number of characters, at most most_length
    std::uint16_t distance;
    static constexpr std::uint32_t least_length = 3, most_length = 258, most_distance = 32767;
};

} // namespace levee::trace
