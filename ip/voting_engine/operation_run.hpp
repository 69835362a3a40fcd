// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/voting_engine/engine.hpp"
#include "ip/voting_engine/operands.hpp"
#include "ip/voting_engine/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::voting_engine {

/// Executes one operation: reads operands, computes, and writes results. A timing-only run has
/// neither probabilities nor votes. Its elections are replayed from a recording, or drawn.
class OperationRun {
public:
    struct Size {
        std::uint64_t cycles = 0;
        std::uint64_t elements = 0; ///< Elements of vectors that cast votes.
        std::uint64_t vectors = 0;  ///< Vectors that cast votes.
        std::uint64_t compared = 0; ///< Slots that ELECT and SELECT examine.
        std::uint64_t elected = 0;  ///< Entries whose next token takes an evicted token's slot.
    };

    /// `capacity` is the number of elements of the FIFO and of the vote buffer. `engine` votes and
    /// elects instead of the reference; may be null.
    OperationRun(CommandQueue& queue, std::uint32_t capacity, Engine* engine)
        : queue_(queue), capacity_(capacity), engine_(engine), operands_(queue, capacity)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills `operation`, except for the block's own time. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] bool takes_stream() const { return operands_.from_stream(); }

private:
    /// Tables of one batch entry. In a timing-only run, they contain only a drawn decision.
    struct Entry {
        std::vector<std::uint16_t> votes;
        std::vector<std::uint32_t> positions;
        std::vector<std::uint32_t> kept; ///< SELECT: positions of the kept tokens.
        std::uint32_t next = 0;          ///< ELECT: slot for the next token; SELECT: number of
                                         ///< tokens kept.
    };

    /// Consecutive vectors that begin at the same slot. The engine processes them as one entry.
    struct Turn;

    void load(std::size_t o0);
    Size vote_all();
    void vote_entry(std::size_t o0, Size& size);
    [[nodiscard]] Engine::Cycles cast(std::size_t o0, const Turn& turn);
    [[nodiscard]] Engine::Cycles cast(const Ballot& ballot, const EntryTime& time);
    [[nodiscard]] std::vector<std::uint16_t> vectors_of(std::size_t o0, std::size_t o1);
    Size elect_all();
    [[nodiscard]] std::uint64_t elect_entry(std::size_t o0);
    Size select_all();
    [[nodiscard]] std::uint32_t drawn_slot(std::size_t o0);
    [[nodiscard]] std::vector<std::uint32_t> drawn_prompt(std::size_t o0) const;
    void commit(std::uint32_t first, std::uint32_t last);
    void decide_entry(std::uint32_t o0, Decision& decision) const;

    CommandQueue& queue_;
    std::uint32_t capacity_;
    Engine* engine_;
    Operands operands_;
    std::vector<Entry> entries_;  // One for each batch entry.
    std::uint64_t elections_ = 0; // Elections drawn so far.
};

} // namespace levee::voting_engine
