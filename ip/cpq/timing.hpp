// SPDX-License-Identifier: Apache-2.0
// Timing rule of README.md, in cycles.
#pragma once

#include <algorithm>
#include <cstdint>

namespace levee::cpq {

/// The units' sizes and speeds.
struct Units {
    std::uint32_t width = 0; ///< values in a group, which each of the three units processes at once
    std::uint32_t prune = 0; ///< cycles from one group to the next
    std::uint32_t quantise = 0;   ///< Cycles of quantisation, counted likewise.
    std::uint32_t dequantise = 0; ///< likewise, of stored values
    std::uint32_t level = 0;      ///< cycles of making a level
};

[[nodiscard]] constexpr std::uint64_t groups_of(std::uint64_t values, const Units& units)
{
    return (values + units.width - 1) / units.width;
}

/// COMPRESS of `rows` rows of `channels` values. `opened`: levels; `tables`: tables whose level 0
/// is made (OPEN). A group is pruned and then quantised, one group at a time. Before that, level 0
/// takes one pass of the pruning unit, and the time of one group for each channel of each table to
/// make the levels.
[[nodiscard]] constexpr std::uint64_t compress_cycles(std::uint64_t rows, std::uint64_t channels,
                                                      std::uint64_t opened, std::uint64_t tables,
                                                      const Units& units)
{
    const std::uint64_t groups = rows * groups_of(channels, units);
    if (groups == 0)
        return 0;
    const std::uint64_t ranges = tables == 0 ? 0 : groups + tables * groups_of(channels, units);
    return ranges * units.prune + groups * (units.prune + units.quantise) + opened * units.level;
}

/// EXPAND, of one row: a row without stored values takes a group's time for its index.
[[nodiscard]] constexpr std::uint64_t expand_cycles(std::uint64_t non_zeros, const Units& units)
{
    return std::max<std::uint64_t>(groups_of(non_zeros, units), 1) * units.dequantise;
}

} // namespace levee::cpq
