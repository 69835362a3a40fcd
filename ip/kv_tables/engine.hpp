// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/importance.hpp"

#include <cstdint>
#include <span>

namespace levee::kv_tables {

/// The least important token that may leave: what a search has found so far.
struct Pair {
    std::uint16_t least = 0;    ///< importance; without meaning while there is no index
    std::uint32_t index = none; ///< slot; none: every token seen is protected

    friend bool operator==(const Pair&, const Pair&) = default;
};

/// A row of scores for all of a head's tokens. Spans of equal length.
struct Pass {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::span<std::uint16_t> importance; ///< updated
    std::span<const std::uint8_t> is_protected;
    std::span<const std::uint16_t> scores; ///< to_fixed
};

/// Hardware that adds a row of scores and finds the least important token. The operations use it
/// instead of the reference where a block has other than `impl: tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    /// The tokens' slots are 0, 1, ... Returns the least important that is not protected.
    virtual Pair pass(const Pass& pass) = 0;
    /// Cycles in which scores were taken, of all passes since the last call: a pass's from its
    /// first to its last, both counted. `expected`: as many by the block's timing rule.
    virtual std::uint64_t take_cycles(std::uint64_t expected) = 0;
};

} // namespace levee::kv_tables
