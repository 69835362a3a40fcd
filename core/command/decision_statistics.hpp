// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee {

/// Statistical model that replaces recorded decisions, at a cost of O(1) per layer, batch entry and
/// step. The evictor's tables then contain no data, except the words `next`, `current` and `used`
/// of batch entries and heads. Blocks that would read other tables use expected values.
struct DecisionStatistics {
    /// Fraction of the stored layer inputs whose recomputed keys and values one head uses. With a
    /// levee_rsa_redirect, each product has this fraction of the rows `partial`, and all rows of
    /// `common`.
    double holders = 1.0;
    /// Fraction of evictions whose victim has just left the recent window. Tokens with a high
    /// importance score are exempt.
    double newest_victims = 0.0;
    /// Fraction of the other victims that have a high importance score.
    double high_victims = 0.0;
    /// Fraction of kept tokens that more than half of the heads keep. It applies to a prompt that
    /// exceeds the budget, and excludes sinks and recent tokens.
    double popular = 1.0;
    /// Probability that, after an eviction, no head uses a stored layer input any more, multiplied
    /// by the number of cached tokens. Sinks are excluded from both.
    double turnover = 0.0;
    /// Fraction of tokens whose first score is high.
    double arrivals_high = 0.0;
    /// Number of such pairs of tokens per step, divided by the number of cached tokens: one token
    /// falls from high to low, and the other rises from low to high.
    double swaps = 0.0;
    /// Exponent s of a router's choices: expert i has a probability proportional to (i + 1)^-s; 0:
    /// all equal.
    double expert_skew = 0.0;
    /// Seed for blocks without their own seed.
    std::uint32_t seed = 0;
};

} // namespace levee
