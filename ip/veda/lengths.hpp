// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/clock.hpp"
#include "ip/veda/timing.hpp"

#include <algorithm>
#include <cstdint>

namespace levee::veda {

/// Lengths of a head's vectors in one dimension. All are equal, or each length is 1 more than the
/// previous one.
struct Lengths {
    std::uint64_t last;
    std::uint64_t count;
    bool grows;

    /// Sum over the vectors of ⌈length × factor / unit⌉.
    [[nodiscard]] std::uint64_t sum(std::uint64_t factor = 1, std::uint64_t unit = 1) const
    {
        return grows ? sum_of_units(last - count + 1, count, factor, unit)
                     : count * divide_up(last * factor, unit);
    }
    /// Number of lengths that exceed `limit`.
    [[nodiscard]] std::uint64_t above(std::uint64_t limit) const
    {
        const std::uint64_t longer = last > limit ? last - limit : 0;
        return grows ? std::min(longer, count) : longer > 0 ? count : 0;
    }
    /// Divides the vectors into parts of `part` vectors; the last part may have fewer. Returns the
    /// sum, over all parts, of the length of the part's last vector.
    [[nodiscard]] std::uint64_t sum_of_last(std::uint64_t part) const
    {
        const std::uint64_t parts = divide_up(count, part);
        return grows ? parts * (last - count) + part * (parts * (parts - 1) / 2) + count
                     : parts * last;
    }
};

} // namespace levee::veda
