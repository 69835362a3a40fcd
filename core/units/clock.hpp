// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/time.hpp"
#include "core/units/wide.hpp"

#include <cstdint>

namespace levee {

/// A clock that converts a block's cycles to time. It rounds up to the picosecond once per span, so
/// that no error accumulates per cycle.
struct Clock {
    std::uint64_t hz = 0;

    [[nodiscard]] Picoseconds span(std::uint64_t cycles) const
    {
        return static_cast<Picoseconds>((static_cast<Wide>(cycles) * 1'000'000'000'000u + hz - 1) /
                                        hz);
    }
};

[[nodiscard]] constexpr std::uint64_t divide_up(std::uint64_t amount, std::uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

} // namespace levee
