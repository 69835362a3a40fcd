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

/// Counts of an evictor's decisions, summed over layers, entries and steps. A token's view is its
/// score (high or low) in the register file that sets the eDRAM's refresh. operator+= adds the
/// counts of another recording.
struct Observed {
    // Counts for the calibration of statistics.
    double evictions = 0, newest = 0;       ///< evicted tokens, and how many of these had just left
                                            ///< the recent window
    double others_gone = 0, high_gone = 0;  ///< the other evicted tokens, and how many of these
                                            ///< had high views; only if views are recorded
    double arrivals = 0, arrivals_high = 0; ///< only if views are recorded
    double token_steps = 0, swaps = 0;      ///< only if views are recorded
    double others_kept = 0, others_popular = 0; ///< sums over prompts longer than the budget
    double exposure = 0, freed = 0;             ///< freed / exposure is
                                                ///< DecisionStatistics::turnover
    double rows_in_use = 0,
           head_rows = 0; ///< head_rows: sum over rows of the share of heads that use the row

    // Figures that follow from the decisions.
    double steps = 0;      ///< number of steps, summed over entries
    double stored = 0;     ///< tokens whose layer inputs were stored for recomputation
    double recomputed = 0; ///< sum of the decisions `used`
    double changes = 0;    ///< changes of a token's view between high and low, without arriving and
                           ///< evicted tokens

    /// `popular`: prompt tokens that more than half of an entry's heads retained. `popular_at_end`:
    /// how many of these more than half of the heads still retained after the last step.
    double popular = 0, popular_at_end = 0;

    Observed& operator+=(const Observed& other);
};

/// Returns the policy of the recorded evictor. Throws std::runtime_error if the recorded run had no
/// evictor, or one that votes.
[[nodiscard]] const levee_kv_rule& evictor_rule(const Recording& recording);

/// Counts the recorded evictor's decisions. Throws std::runtime_error like evictor_rule(), or if
/// the heads of an entry were in several memories.
[[nodiscard]] Observed observe(Recording& recording);

/// Draws decisions from `statistics` for the same prompts, and counts them. Sets only the figures
/// that follow from decisions, not the counts for calibration.
[[nodiscard]] Observed draw(Recording& recording, const DecisionStatistics& statistics);

/// Returns the statistics that the observed counts give.
[[nodiscard]] DecisionStatistics calibrated(const Observed& observed);

} // namespace levee
