// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operations.h"

#include <cstdint>

namespace levee::kv_tables {

// The timing rule of ip/kv_tables/README.md: steps of one (o0, o1), which are processed at
// `scores_per_cycle` a cycle.

/// Every score passes, masked or not; without scores the chain still examines every token once.
[[nodiscard]] constexpr std::uint64_t score_steps(std::uint64_t rows, std::uint64_t length)
{
    return (rows == 0 ? 1 : rows) * length;
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
