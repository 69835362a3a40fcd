// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace levee::cpq {

struct Units {
    std::uint32_t width = 0;      ///< Values in a group, which each of the three units processes in
                                  ///< parallel.
    std::uint32_t prune = 0;      ///< Pruning cycles per group.
    std::uint32_t quantise = 0;   ///< Quantisation cycles per group.
    std::uint32_t dequantise = 0; ///< Cycles per group of dequantisation, which processes stored
                                  ///< values.
    std::uint32_t level = 0;      ///< Cycles to make a level.
};

[[nodiscard]] constexpr std::uint64_t groups_of(std::uint64_t values, const Units& units)
{
    return (values + units.width - 1) / units.width;
}

/// Cycles of COMPRESS for `rows` rows of `channels` values. `opened` is the number of levels
/// opened, including levels 0; `tables` is the number of tables whose level 0 is made (OPEN).
/// Groups are pruned and then quantised, one at a time. With OPEN, all rows, and then one row per
/// table, first pass through the pruning unit.
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

/// Cycles of EXPAND for one row. A row without stored values takes the time of one group, for its
/// index.
[[nodiscard]] constexpr std::uint64_t expand_cycles(std::uint64_t non_zeros, const Units& units)
{
    return std::max<std::uint64_t>(groups_of(non_zeros, units), 1) * units.dequantise;
}

} // namespace levee::cpq
