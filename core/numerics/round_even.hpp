// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Returns the nearest integer; halves are rounded to the even one. Exact for magnitudes up to
/// 2^51.
[[nodiscard]] inline double round_even(double value)
{
    constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
    return (value + magic) - magic;
}

} // namespace levee
