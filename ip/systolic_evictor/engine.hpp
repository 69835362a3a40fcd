// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/chain.hpp"

#include <cstdint>
#include <span>

namespace levee::systolic_evictor {

/// A row of scores for all of a head's tokens. Spans of equal length.
struct Pass {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::span<std::uint16_t> importance; ///< updated
    std::span<const std::uint8_t> is_protected;
    std::span<const std::uint16_t> scores; ///< to_fixed
};

/// The evictor's hardware in use: what adds a row of scores and finds the least important token.
/// Takes the place of the reference where a block has other than `impl: tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    /// The tokens' slots are 0, 1, ... Returns the least important that is not protected.
    virtual Pair pass(const Pass& pass) = 0;
    /// Cycles in which scores were taken, of all passes since the last call: a pass's from its
    /// first to its last, both counted. `expected`: as many by the block's timing rule.
    virtual std::uint64_t take_cycles(std::uint64_t expected) = 0;
};

} // namespace levee::systolic_evictor
