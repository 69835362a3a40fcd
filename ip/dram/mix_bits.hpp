// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::dram {

/// A one-to-one function that mixes its argument's bits well: xor-shifts and odd multipliers.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93ULL;
    value ^= value >> 29;
    value *= 0xa0761d6478bd642fULL;
    return value ^ value >> 32;
}

} // namespace levee::dram
