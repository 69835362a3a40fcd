// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operations.h"

#include <cstdint>

namespace levee::kv_tables {

// The timing rule of ip/kv_tables/README.md: steps of one (o0, o1), `scores_per_cycle` of
// which are taken a cycle.

/// Every score passes, seen or masked; without scores the chain still looks at every token once.
[[nodiscard]] constexpr std::uint64_t score_steps(std::uint64_t rows, std::uint64_t length)
{
    return (rows == 0 ? 1 : rows) * length;
}

/// A search for the threshold, bit by bit from the top of what tokens rank by, then a pass that
/// writes those that stay; only the latter when all do.
[[nodiscard]] constexpr std::uint64_t select_steps(std::uint64_t length, std::uint64_t capacity,
                                                   bool random)
{
    const std::uint64_t search_passes = random ? 32 : 16;
    return length * (length > capacity ? search_passes + 1 : 1);
}

/// A pass that counts, the histogram of the counts, a pass that writes.
[[nodiscard]] constexpr std::uint64_t popular_steps(std::uint64_t kept)
{
    return 2 * kept + 1;
}

/// A look at the words of the head.
inline constexpr std::uint64_t forget_steps = 1;

} // namespace levee::kv_tables
