// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/importance.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::kv_tables {

/// The least important evictable token: the running result of a search.
struct Pair {
    std::uint16_t least = 0;    ///< importance; undefined while there is no index
    std::uint32_t index = none; ///< slot; none: every token seen is protected

    friend bool operator==(const Pair&, const Pair&) = default;
};

/// A head of an operation, by the indices of its outer loops; for messages and waveforms.
struct Place {
    std::uint32_t o0 = 0, o1 = 0;
};

/// Scores for all of a head's tokens. The spans have equal length.
struct Pass {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::span<std::uint16_t> importance; ///< updated
    std::span<const std::uint8_t> is_protected;
    std::span<const std::uint16_t> scores; ///< to_fixed
    Place place{};
};

/// Scores of several queries for all of a head's tokens.
struct Stream {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::span<std::uint16_t> importance; ///< updated
    /// scores converted by to_fixed, query by query, importance.size() for each; at least one query
    std::vector<std::uint16_t> scores;
    Place place{};
};

/// Hardware that adds scores and finds the least important token. It replaces the reference in
/// operations of a block whose `impl` is not `tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    /// The tokens' slots are 0, 1, ... Returns the least important one that is not protected.
    virtual Pair pass(const Pass& pass) = 0;
    /// Adds streams that follow one another without a gap, and searches nothing.
    virtual void stream(std::span<const Stream> streams) = 0;
    /// Cycles of all passes and calls of stream() since the last call, each from its first score to
    /// its last, inclusive.
    /// `expected`: the number by the block's timing rule.
    virtual std::uint64_t take_cycles(std::uint64_t expected) = 0;
};

} // namespace levee::kv_tables
