// SPDX-License-Identifier: Apache-2.0
// Timing rule of ip/cam/README.md, in cycles.
#pragma once

#include "ip/cam/proxies.hpp"

#include <cstdint>
#include <span>

namespace levee::cam {

struct Pace {
    std::uint32_t write_cycles = 1;      ///< Cycles to write a row.
    std::uint32_t search_cycles = 1;     ///< Cycles of a query: precharge, evaluate, sense.
    std::uint32_t matches_per_cycle = 1; ///< Matches that the priority encoder outputs per cycle.
};

/// Rows of a slice that a search compares, and the number of results.
struct Searched {
    std::uint64_t first = 0; ///< First row in the memory.
    std::uint64_t rows = 0;  ///< Number of rows, at least 1.
    std::uint64_t matches = 0;
};

/// Cycles of a WRITE: rows are written one after another.
[[nodiscard]] constexpr std::uint64_t write_time(const Pace& pace, std::uint64_t rows)
{
    return rows * pace.write_cycles;
}

/// Slices in separate arrays are searched in parallel, slices in the same arrays one after another.
/// Each search processes its queries one by one and delivers its matches one by one.
[[nodiscard]] std::uint64_t search_time(const Pace& pace, const Arrays& arrays,
                                        std::uint32_t queries, std::span<const Searched> slices);

} // namespace levee::cam
