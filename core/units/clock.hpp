// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/time.hpp"
#include "core/units/wide.hpp"

#include <cmath>
#include <cstdint>

namespace levee {

/// A clock that converts a block's cycles to time. The result is rounded up to whole picoseconds
/// once per time span, so rounding errors do not accumulate over cycles.
struct Clock {
    std::uint64_t hz = 0;

    [[nodiscard]] Picoseconds span(std::uint64_t cycles) const
    {
        return static_cast<Picoseconds>((static_cast<Wide>(cycles) * ps_per_second + hz - 1) / hz);
    }
    /// Returns the time of a number of cycles, which need not be an integer, to the nearest
    /// picosecond.
    [[nodiscard]] Picoseconds nearest(double cycles) const
    {
        return static_cast<Picoseconds>(
            std::llround(cycles * static_cast<double>(ps_per_second) / static_cast<double>(hz)));
    }
};

[[nodiscard]] constexpr std::uint64_t divide_up(std::uint64_t amount, std::uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

} // namespace levee
