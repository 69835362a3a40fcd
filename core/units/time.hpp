// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/second.h"

#include <cstdint>
#include <limits>

namespace levee {

using Picoseconds = std::uint64_t;

inline constexpr Picoseconds ps_per_second = LEVEE_PS_PER_SECOND;

/// The latest possible time.
inline constexpr Picoseconds forever = std::numeric_limits<Picoseconds>::max();

/// Picoseconds that a byte takes at this rate.
[[nodiscard]] constexpr double ps_per_byte_at(std::uint64_t bytes_per_second)
{
    return static_cast<double>(ps_per_second) / static_cast<double>(bytes_per_second);
}

} // namespace levee
