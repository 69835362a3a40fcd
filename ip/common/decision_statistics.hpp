// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// A statistical model in place of recorded decisions: O(1) for a layer, batch entry and step. The
/// evictor's tables then say nothing, but for `next`, `current` and `used`, which are words of
/// entries and heads; who would read one takes what is likely instead.
struct DecisionStatistics {
    /// Of the tokens that are stored as inputs, the share that a head holds: so many of the rows
    /// `held` of a levee_rsa_redirect does each product have, beside all of `common`.
    double holders = 1.0;
    /// Tokens that leave as soon as the recent window does not protect them any more, unless their
    /// view is high.
    double newest_victims = 0.0;
    /// Of the others who leave, the share that is high.
    double high_victims = 0.0;
    /// Of the tokens a head keeps of a prompt that does not fit, neither first nor recent, the
    /// share that more than half of the heads keep.
    double popular = 1.0;
    /// Inputs that lose their last head at an eviction, for each that is stored and no sink, times
    /// the tokens in the cache that are no sinks.
    double turnover = 0.0;
    /// Tokens that are high as soon as they have a score.
    double arrivals_high = 0.0;
    /// Pairs, a high and a low token, that change places at a step, for each token in the cache.
    double swaps = 0.0;
};

} // namespace levee
