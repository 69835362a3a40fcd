// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::trace {

/// A part of a text that also occurs `distance` characters before.
struct Repeat {
    std::uint32_t at;       ///< Position in the text.
    std::uint16_t length;   ///< Length, at most most_length.
    std::uint16_t distance; ///< Distance, at most most_distance.
    static constexpr std::uint32_t least_length = 3, most_length = 258, most_distance = 32767;
};

} // namespace levee::trace
