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

/// ACCUMULATE for one o0 with its heads: tiles of up to `chain` tokens, one row of the chain for
/// each token. A query's score reaches row i one step after row i - 1, and the next query's score
/// follows one step later. The next tile, or the next head's first, takes over row by row,
/// max(queries, tokens) steps after the tile's begin, as its tokens are preloaded and read one a
/// step. The last query's score reaches the last row a step for each row after the first one.
/// Masked scores pass like others. Without scores it takes as long as with one query.
[[nodiscard]] constexpr std::uint64_t accumulate_steps(std::uint64_t heads, std::uint64_t queries,
                                                       std::uint64_t length, std::uint64_t chain)
{
    const std::uint64_t waves = std::max<std::uint64_t>(queries, 1), rest = length % chain;
    const std::uint64_t last = rest > 0 ? rest : chain;
    const std::uint64_t of_head =
        length / chain * std::max(waves, chain) + (rest > 0 ? std::max(waves, rest) : 0);
    return heads * of_head + std::min(waves, last) - 1;
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

/// One step to read the words of a head.
inline constexpr std::uint64_t forget_steps = 1;

} // namespace levee::kv_tables
