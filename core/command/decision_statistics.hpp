// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee {

/// Statistical model that replaces recorded decisions, at O(1) per layer, batch entry and step. The
/// evictor's tables then hold no data except `next`, `current` and `used`, which are words of
/// entries and heads; a reader of the other tables uses expected values instead.
struct DecisionStatistics {
    /// Share of the tokens stored as recomputed inputs that one head uses: each product has this
    /// share of the rows `partial` of a levee_rsa_redirect, and all rows of `common`.
    double holders = 1.0;
    /// Share of evictions whose victim has just left the recent window's protection; tokens whose
    /// view is high are exempt.
    double newest_victims = 0.0;
    /// Share of the other victims whose view is high.
    double high_victims = 0.0;
    /// Share of the tokens retained from a prompt that exceeds the budget, neither first nor
    /// recent, that more than half of the heads retain.
    double popular = 1.0;
    /// Rate at which recomputed inputs lose their last head at an eviction, per stored input that
    /// is not a sink, times the number of cached tokens that are not sinks.
    double turnover = 0.0;
    /// Share of tokens whose view is high as soon as they have a score.
    double arrivals_high = 0.0;
    /// Pairs of a high and a low token that swap views at a step, per cached token.
    double swaps = 0.0;
    /// Exponent s of a router's choices: expert i is drawn in proportion to (i + 1)^-s; 0: all
    /// alike.
    double expert_skew = 0.0;
    /// Seed of draws in blocks without a seed of their own.
    std::uint32_t seed = 0;
};

} // namespace levee
