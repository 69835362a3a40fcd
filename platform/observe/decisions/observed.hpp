// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/decision_statistics.hpp"
#include "ip/kv_tables/model.hpp"
#include "platform/observe/decisions/recording.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace levee {

/// What evictors have decided, counted over entries of layers and their steps; sums, so that
/// recordings add up.
struct Observed {
    // What statistics are calibrated on.
    double evictions = 0, newest = 0;           ///< of tokens, and those that were the newest
    double others_gone = 0, high_gone = 0;      ///< those who were not, with views
    double arrivals = 0, arrivals_high = 0;     ///< with views
    double token_steps = 0, swaps = 0;          ///< likewise
    double others_kept = 0, others_popular = 0; ///< of prompts that did not fit
    double exposure = 0, freed = 0;   ///< DecisionStatistics::turnover is freed / exposure
    double rows_in_use = 0, held = 0; ///< held: by heads, a share of them each

    // What follows from them.
    double steps = 0;      ///< of entries
    double stored = 0;     ///< tokens that came as inputs
    double recomputed = 0; ///< sum of `used`
    double changes = 0;    ///< of groups, high or low, of tokens that neither came nor left

    Observed& operator+=(const Observed& other);
};

/// Counts what a recording's evictor has decided. Throws std::runtime_error for a recording of a
/// run without one, or whose heads of an entry lie in several memories.
[[nodiscard]] Observed observe(Recording& recording);

/// The same, had it been drawn from `statistics` for a run of the same prompts. Of what
/// calibrates, only what follows is counted.
[[nodiscard]] Observed draw(Recording& recording, const DecisionStatistics& statistics);

/// The statistics of what was observed.
[[nodiscard]] DecisionStatistics calibrated(const Observed& observed);

} // namespace levee
