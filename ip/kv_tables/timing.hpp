// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operations.h"

#include <algorithm>
#include <cstdint>

namespace levee::kv_tables {

// Timing rule of ip/kv_tables/README.md: number of steps for one head. One cycle processes
// `scores_per_cycle` steps.

/// Steps of EVICT: one for each score. Without scores, the chain still examines every token once.
[[nodiscard]] constexpr std::uint64_t score_steps(std::uint64_t rows, std::uint64_t length)
{
    return (rows == 0 ? 1 : rows) * length;
}

/// Steps of ACCUMULATE for one batch entry with all its heads. Tokens are processed in tiles of up
/// to `chain` tokens, with one row of the chain for each token. A query's score reaches row i one
/// step after row i - 1, and the next query's score follows one step later. The next tile, or the
/// first tile of the next head, starts max(queries, tokens) steps after the start of the current
/// tile, because its tokens are preloaded at one per step. The last query takes one step for each
/// row after the first to reach the last row. Masked scores take as many steps as others. Without
/// scores, the time is that of one query.
[[nodiscard]] constexpr std::uint64_t accumulate_steps(std::uint64_t heads, std::uint64_t queries,
                                                       std::uint64_t length, std::uint64_t chain)
{
    const std::uint64_t waves = std::max<std::uint64_t>(queries, 1), rest = length % chain;
    const std::uint64_t last = rest > 0 ? rest : chain;
    const std::uint64_t of_head =
        length / chain * std::max(waves, chain) + (rest > 0 ? std::max(waves, rest) : 0);
    return heads * of_head + std::min(waves, last) - 1;
}

/// Steps of SELECT: a binary search for the threshold with one pass for each bit of the rank, then
/// a pass that writes the kept tokens. If all tokens are kept, there is only the last pass.
[[nodiscard]] constexpr std::uint64_t select_steps(std::uint64_t length, std::uint64_t capacity,
                                                   bool random)
{
    const std::uint64_t search_passes = random ? 32 : 16;
    return length * (length > capacity ? search_passes + 1 : 1);
}

/// Steps of POPULAR: a pass that counts, the histogram of the counts, and a pass that writes.
[[nodiscard]] constexpr std::uint64_t popular_steps(std::uint64_t kept)
{
    return 2 * kept + 1;
}

/// Steps of FORGET for a head: one, to read its words.
inline constexpr std::uint64_t forget_steps = 1;

} // namespace levee::kv_tables
