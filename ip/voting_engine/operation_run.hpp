// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/voting_engine/engine.hpp"
#include "ip/voting_engine/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::voting_engine {

/// One operation in execution: its checks, its tables, their write-back. A timing-only run has
/// neither probabilities nor votes, only the accesses that memories track, and elections are
/// replayed from a recording or drawn.
class OperationRun {
public:
    struct Size {
        std::uint64_t cycles = 0;
        std::uint64_t elements = 0; ///< of vectors that cast votes
        std::uint64_t vectors = 0;  ///< that cast votes
        std::uint64_t compared = 0; ///< slots examined by ELECT and SELECT
        std::uint64_t elected = 0;  ///< entries whose next token takes another one's slot
    };

    /// `capacity`: elements of the FIFO and of the vote buffer. `engine`: votes and elects instead
    /// of the reference; may be null.
    OperationRun(CommandQueue& queue, std::uint32_t capacity, Engine* engine)
        : queue_(queue), capacity_(capacity), engine_(engine)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills all of `operation` except its own pace. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] bool takes_stream() const { return from_stream_; }

private:
    /// A table with a row of elements for each entry (o0).
    struct Table {
        std::uint64_t address;
        std::int64_t stride;
        std::uint32_t element_bytes;
        std::uint32_t field; ///< of the descriptor, for messages

        [[nodiscard]] AccessPattern run(std::size_t o0, std::size_t elements) const;
        [[nodiscard]] AccessPattern element(std::size_t o0, std::uint64_t index) const;
    };
    struct Entry {
        std::vector<std::uint16_t> votes;
        std::vector<std::uint32_t> positions;
        std::vector<std::uint32_t> kept; ///< SELECT: positions
        std::uint32_t next = 0;          ///< ELECT, SELECT
    };

    // operation_checks.cpp
    void check() const;
    void check_addresses() const;
    void check_alignment() const;

    [[nodiscard]] Table votes() const;
    [[nodiscard]] Table prefill_votes() const;
    [[nodiscard]] Table positions() const;
    [[nodiscard]] AccessPattern gather(std::size_t o0, std::size_t elements) const;
    [[nodiscard]] AccessPattern next(std::size_t o0) const;
    [[nodiscard]] AccessPattern probabilities(std::size_t o0, std::size_t o1) const;
    std::vector<std::uint32_t> read_words(std::uint64_t address, std::uint32_t stride,
                                          std::size_t member);
    void read_lengths();
    void read_arrivals();
    void accept_probabilities();
    void open_streams(Operation& operation);
    void open(Operation& operation, Direction direction, const AccessPattern& pattern,
              std::uint32_t field);
    void check_writes();
    [[nodiscard]] std::uint32_t kept_of(std::size_t o0) const;
    [[nodiscard]] bool is_voter(std::size_t o0, std::uint32_t row) const;
    [[nodiscard]] std::uint32_t length_of(std::size_t o0, std::uint32_t row) const;

    // operation_votes.cpp
    Size vote_all();
    void vote_entry(std::size_t o0, Size& size);
    [[nodiscard]] std::vector<std::uint16_t> vectors_of(std::size_t o0, std::size_t o1);
    Size elect_all();
    Size select_all();
    void load(std::size_t o0);
    void commit(std::uint32_t first, std::uint32_t last);
    void commit_votes(std::size_t o0);
    void decide_entry(std::uint32_t o0, Decision& decision) const;

    // operation_timing_only.cpp
    Size prepare_timing_only(Operation& operation);
    [[nodiscard]] Size timing_only_size() const;
    void touch(std::size_t o0);
    void decide_timing_only(std::uint32_t first, std::uint32_t last);
    void draw(std::size_t o0);

    CommandQueue& queue_;
    std::uint32_t capacity_;
    Engine* engine_;

    // The running operation.
    std::uint8_t opcode_ = 0;
    levee_ve_operation op_{};
    std::vector<std::uint32_t> lengths_;  // per o0
    std::vector<std::uint32_t> now_;      // VOTE: per o0
    std::vector<std::uint32_t> arrivals_; // VOTE with arrival: per o0
    std::vector<Entry> entries_;
    bool from_stream_ = false;
    std::span<const float> stream_;
    std::uint64_t elections_ = 0; // drawn so far
};

} // namespace levee::voting_engine
