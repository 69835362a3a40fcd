// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace levee {

/// Time in picoseconds since the start of the simulation.
using Picoseconds = std::uint64_t;

/// The latest possible time.
inline constexpr Picoseconds forever = std::numeric_limits<Picoseconds>::max();

} // namespace levee
