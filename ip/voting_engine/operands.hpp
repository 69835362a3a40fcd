// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/voting_engine/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::voting_engine {

/// Operands of one operation: its control words, and its tables in memory.
class Operands {
public:
    /// `capacity` is the number of elements of the FIFO and of the vote buffer.
    Operands(CommandQueue& queue, std::uint32_t capacity) : queue_(queue), capacity_(capacity) {}

    /// Checks the descriptor, reads its words and accepts a producer. This and all functions below
    /// throw CommandFault.
    void read(const levee_descriptor& descriptor);
    /// Opens streams for tables with one element per slot, and checks other addresses that are
    /// written. Tables with one word per entry are read and written together with the descriptor,
    /// without traffic.
    void open(Operation& operation);

    [[nodiscard]] bool votes() const { return opcode_ == LEVEE_VE_VOTE; }
    [[nodiscard]] bool selects() const { return opcode_ == LEVEE_VE_SELECT; }
    [[nodiscard]] const levee_ve_operation& op() const { return op_; }
    [[nodiscard]] bool from_stream() const { return from_stream_; }
    /// Returns the vectors of one head that a producer has sent, in rows of n elements; empty in
    /// timing-only runs.
    [[nodiscard]] std::span<const float> streamed(std::size_t o0, std::size_t o1) const;

    [[nodiscard]] std::size_t entries() const { return op_.outer[0]; }
    /// Number of valid slots.
    [[nodiscard]] std::uint32_t length(std::size_t o0) const { return lengths_[o0]; }
    /// Number of valid slots after the operation.
    [[nodiscard]] std::uint32_t kept(std::size_t o0) const;
    /// VOTE: number of slots that the token of a row votes on.
    [[nodiscard]] std::uint32_t length(std::size_t o0, std::uint32_t row) const
    {
        return lengths_[o0] - op_.rows + 1 + row;
    }
    /// VOTE: number of elements, at the beginning of a row's vector, that belong to tokens to which
    /// the row's token does not attend. Nonzero only in a prefill with a reach.
    [[nodiscard]] std::uint32_t skipped(std::size_t o0, std::uint32_t row) const
    {
        const std::uint32_t seen = length(o0, row);
        return op_.reach != 0 && seen > op_.reach ? seen - op_.reach : 0;
    }
    /// ELECT, SELECT: number of earliest tokens that the next token does not attend to.
    [[nodiscard]] std::uint32_t passed(std::size_t o0) const;
    /// VOTE: whether the token of a row votes. The token's position is computed modulo 2^32, as in
    /// firmware.
    [[nodiscard]] bool is_voter(std::size_t o0, std::uint32_t row) const
    {
        return now_[o0] + row >= op_.reserved;
    }
    /// VOTE: position of row 0.
    [[nodiscard]] const std::uint32_t& now(std::size_t o0) const { return now_[o0]; }
    [[nodiscard]] bool has_arrival() const { return !arrivals_.empty(); }
    [[nodiscard]] std::uint32_t arrival(std::size_t o0) const { return arrivals_[o0]; }

    [[nodiscard]] View votes_in(std::size_t o0) const;
    [[nodiscard]] View votes_out(std::size_t o0) const;
    [[nodiscard]] View positions(std::size_t o0) const;
    [[nodiscard]] View arriving_position(std::size_t o0) const;
    /// Returns the access to gather's rows for all heads of an entry.
    [[nodiscard]] View gather(std::size_t o0) const;
    /// Returns the access to next's words for all heads of an entry.
    [[nodiscard]] View next(std::size_t o0) const;
    /// Returns the access to the vectors of one head, each up to the length of the longest vector.
    [[nodiscard]] View probabilities(std::size_t o0, std::size_t o1) const;

private:
    std::vector<std::uint32_t> read_words(std::uint64_t address, std::uint32_t stride,
                                          std::size_t member);
    void read_lengths();
    void read_arrivals();
    void accept_probabilities();
    void open_entry(Operation& operation, std::size_t o0);
    void open_votes(Operation& operation, std::size_t o0, Direction direction);

    CommandQueue& queue_;
    std::uint32_t capacity_;
    std::uint8_t opcode_ = 0;
    levee_ve_operation op_{};
    std::vector<std::uint32_t> lengths_;  // One for each batch entry.
    std::vector<std::uint32_t> now_;      // VOTE: position of row 0 for each entry.
    std::vector<std::uint32_t> arrivals_; // VOTE with arrival: one for each entry.
    bool from_stream_ = false;
    std::span<const float> stream_;
};

} // namespace levee::voting_engine
