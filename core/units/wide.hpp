// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// An unsigned 128-bit integer, for products of two 64-bit integers.
__extension__ using Wide = unsigned __int128;

/// Greatest common divisor (std::gcd does not support 128 bits). If one number is 0, the result is
/// the other.
[[nodiscard]] constexpr Wide common_divisor(Wide a, Wide b)
{
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

} // namespace levee
