// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operations.h"

#include <algorithm>
#include <cstdint>

namespace levee::kv_tables {

// The timing rule of ip/kv_tables/README.md: steps of one (o0, o1), which are processed at
// `scores_per_cycle` a cycle.

/// EVICT: every score passes, one a step; without scores the chain still examines every token once.
[[nodiscard]] constexpr std::uint64_t score_steps(std::uint64_t rows, std::uint64_t length)
{
    return (rows == 0 ? 1 : rows) * length;
}

/// ACCUMULATE, of one head: tiles of up to `chain` tokens, one row of the chain each. A query's
/// score reaches row i one step after row i - 1, the next query's score follows one step later, and
/// the next tile takes over row by row; it is preloaded by then, one token a step. Masked scores
/// pass like others. Without scores there is nothing to add.
[[nodiscard]] constexpr std::uint64_t accumulate_steps(std::uint64_t queries, std::uint64_t length,
                                                       std::uint64_t chain)
{
    const std::uint64_t rest = length % chain;
    return length / chain * std::max(queries, chain) + (rest > 0 ? std::max(queries, rest) : 0);
}

/// ACCUMULATE, once: from the last head's last score in the first row of its last tile to that in
/// the last row, as far as accumulate_steps has not counted it.
[[nodiscard]] constexpr std::uint64_t drain_steps(std::uint64_t queries, std::uint64_t length,
                                                  std::uint64_t chain)
{
    return std::min(queries, (length - 1) % chain + 1) - 1;
}

/// A binary search for the threshold, from the top bit of the rank, then a pass that writes the
/// retained tokens; only the pass if all are retained.
[[nodiscard]] constexpr std::uint64_t select_steps(std::uint64_t length, std::uint64_t capacity,
                                                   bool random)
{
    const std::uint64_t search_passes = random ? 32 : 16;
    return length * (length > capacity ? search_passes + 1 : 1);
}

/// A counting pass, the histogram of the counts, and a writing pass.
[[nodiscard]] constexpr std::uint64_t popular_steps(std::uint64_t kept)
{
    return 2 * kept + 1;
}

/// One read of the head's words.
inline constexpr std::uint64_t forget_steps = 1;

} // namespace levee::kv_tables
