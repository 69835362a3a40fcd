// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decision_statistics.hpp"
#include "firmware/policies/policies.h"
#include "ip/kv_tables/model.hpp"
#include "platform/observe/decisions/recording.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace levee {

/// Counts of evictors' decisions, summed over layers, entries and steps. Counts of several
/// recordings can be added.
struct Observed {
    // Inputs of the calibration.
    double evictions = 0, newest = 0; ///< evicted tokens, and those among them that were the newest
    double others_gone = 0, high_gone = 0;      ///< the other evicted tokens, if views are recorded
    double arrivals = 0, arrivals_high = 0;     ///< Counted only if views are recorded.
    double token_steps = 0, swaps = 0;          ///< Counted only if views are recorded.
    double others_kept = 0, others_popular = 0; ///< sums over prompts that exceed the budget
    double exposure = 0, freed = 0; ///< DecisionStatistics::turnover is freed / exposure
    double rows_in_use = 0,
           head_rows = 0; ///< head_rows: weighted by the share of heads that use them

    // Figures that result from the decisions.
    double steps = 0;      ///< steps of all entries
    double stored = 0;     ///< tokens stored as recomputed inputs
    double recomputed = 0; ///< sum of `used`
    double changes = 0;    ///< changes of view, high or low, of tokens present before and after

    /// Tokens of prompts that more than half of an entry's heads retained, and the number of them
    /// that more than half still retained after the entry's last step.
    double popular = 0, popular_at_end = 0;

    Observed& operator+=(const Observed& other);
};

/// The policy of a recording's evictor. Throws std::runtime_error for a recording without one.
[[nodiscard]] const levee_kv_rule& evictor_rule(const Recording& recording);

/// Counts the decisions of a recording's evictor. Throws std::runtime_error for a recording of a
/// run without one, or one in which an entry's heads lie in several memories.
[[nodiscard]] Observed observe(Recording& recording);

/// Counts of decisions drawn from `statistics` for a run of the same prompts. The inputs of the
/// calibration are not counted, only the resulting figures.
[[nodiscard]] Observed draw(Recording& recording, const DecisionStatistics& statistics);

/// Statistics calibrated to the observed counts.
[[nodiscard]] DecisionStatistics calibrated(const Observed& observed);

} // namespace levee
