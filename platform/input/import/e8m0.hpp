// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace levee {

/// Returns the value of a scale in microscaling formats (E8M0): 2^(byte - 127), or NaN. `shift`
/// multiplies it by 2^shift.
[[nodiscard]] inline float e8m0(std::uint8_t byte, int shift = 0)
{
    constexpr int bias = 127, not_a_number = 255;
    return byte == not_a_number ? std::numeric_limits<float>::quiet_NaN()
                                : std::ldexp(1.0F, byte - bias + shift);
}

} // namespace levee
