// SPDX-License-Identifier: Apache-2.0
#include "ip/cam/timing.hpp"

#include <algorithm>
#include <map>

namespace levee::cam {

std::uint64_t search_time(const Pace& pace, const Arrays& arrays, std::uint32_t queries,
                          std::span<const Searched> slices)
{
    std::map<std::uint64_t, std::uint64_t> of_array;
    std::uint64_t rounds = 0, matches = 0;
    for (const Searched& slice : slices) {
        matches += slice.matches;
        for (std::uint64_t array = slice.first / arrays.rows;
             array <= (slice.first + slice.rows - 1) / arrays.rows; ++array)
            rounds = std::max(rounds, ++of_array[array]);
    }
    return rounds * queries * pace.search_cycles +
           (matches + pace.matches_per_cycle - 1) / pace.matches_per_cycle;
}

} // namespace levee::cam
