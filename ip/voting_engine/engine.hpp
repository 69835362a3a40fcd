// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/voting_engine/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::voting_engine {

/// Vectors of one batch entry that cast votes, and the slots that they vote on.
struct Ballot {
    Factors factors;
    std::span<std::uint16_t> votes;           ///< Votes by slot, which the engine updates.
    std::span<const std::uint32_t> positions; ///< Positions by slot; empty: slot i has position i.
    std::vector<std::span<const std::uint16_t>>
        vectors; ///< Vectors of values from to_element(), none longer than votes.
};

/// Interface of hardware that votes and elects. The hardware replaces the reference if the block's
/// `impl` is not `tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    struct Cycles {
        std::uint64_t taken = 0, passed = 0;
    };
    /// Processes at least one vector. Returns the cycles until the last element, and until the last
    /// vote.
    virtual Cycles vote(const Ballot& ballot) = 0;
    struct Election {
        std::uint32_t slot = none;
        std::uint64_t cycles = 0; ///< Cycles from the first slot to the result.
    };
    virtual Election elect(std::span<const std::uint16_t> votes,
                           std::span<const std::uint32_t> positions, std::uint32_t protect) = 0;
};

} // namespace levee::voting_engine
