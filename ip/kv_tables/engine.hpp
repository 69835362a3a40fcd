// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/importance.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::kv_tables {

/// Result of a search so far: the least important token that may be evicted.
struct Pair {
    std::uint16_t least = 0; ///< Importance of that token; meaningless if there is no such token.
    std::uint32_t index = none; ///< Slot of the token; none: all tokens so far are protected.

    friend bool operator==(const Pair&, const Pair&) = default;
};

/// Identifies a head by the iterations of an operation's outer loops, for messages and waveforms.
struct Place {
    std::uint32_t o0 = 0, o1 = 0;
};

/// The scores of one query for all of a head's tokens. The spans have equal length.
struct Pass {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::span<std::uint16_t> importance; ///< Importance of each token, which the pass updates.
    std::span<const std::uint8_t> is_protected;
    std::span<const std::uint16_t> scores; ///< Scores, converted by to_fixed().
    Place place{};
};

/// The scores of several queries for all of a head's tokens.
struct Stream {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::span<std::uint16_t> importance; ///< Importance of each token, which the stream updates.
    /// Scores converted by to_fixed, query by query, with importance.size() values each. At least
    /// one query.
    std::vector<std::uint16_t> scores;
    Place place{};
};

/// Interface of hardware that adds scores and finds the least important token. The hardware
/// replaces the reference if the block's `impl` is not `tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    /// Processes tokens in slots 0, 1, ... Returns the least important token that is not protected.
    virtual Pair pass(const Pass& pass) = 0;
    /// Adds the scores of streams, one directly after another. Does not search for a victim.
    virtual void stream(std::span<const Stream> streams) = 0;
    /// Returns the cycles of all calls of pass() and stream() since the last take_cycles(). Each
    /// call counts from its first to its last score, inclusive. `expected` is the number of cycles
    /// by the block's timing rule.
    virtual std::uint64_t take_cycles(std::uint64_t expected) = 0;
};

} // namespace levee::kv_tables
