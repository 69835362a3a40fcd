// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/kv_tables/layout.hpp"
#include "ip/kv_tables/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::kv_tables {

/// Operands of one operation: descriptor, formats, control words, streams of its tables, and
/// addresses of all results.
class Operands {
public:
    explicit Operands(CommandQueue& queue) : queue_(queue) {}

    /// Checks the descriptor and reads formats and words. Throws CommandFault, as all below.
    void read(const levee_descriptor& descriptor);
    /// Accepts a producer of scores, and opens streams for tables with an element for each slot.
    /// Per-head and per-input-row words are read with the descriptor, without traffic.
    void open(Operation& operation);
    /// Checks the addresses of everything that is written without a stream.
    void check_writes();

    [[nodiscard]] bool accumulates() const { return opcode_ == LEVEE_SE_ACCUMULATE; }
    [[nodiscard]] bool evicts() const { return opcode_ == LEVEE_SE_EVICT; }
    [[nodiscard]] bool selects() const { return opcode_ == LEVEE_SE_SELECT; }
    [[nodiscard]] bool is_popular() const { return opcode_ == LEVEE_SE_POPULAR; }
    [[nodiscard]] bool forgets() const { return opcode_ == LEVEE_SE_FORGET; }
    [[nodiscard]] bool makes_views() const { return op_.views != 0 && (evicts() || selects()); }

    [[nodiscard]] const levee_se_operation& op() const { return op_; }
    [[nodiscard]] const levee_se_formats& formats() const { return formats_; } ///< rows 0: none
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] Policy policy(Ties ties) const;
    [[nodiscard]] std::uint32_t entries() const { return op_.outer[0]; }
    [[nodiscard]] std::uint32_t heads() const { return op_.outer[1]; }

    /// Valid slots; POPULAR: of the head that stores most tokens.
    [[nodiscard]] std::uint32_t length(std::size_t o0) const { return lengths_[o0]; }
    [[nodiscard]] std::span<const std::uint32_t> lengths() const { return lengths_; }
    /// Slots whose importance is written.
    [[nodiscard]] std::span<const std::uint32_t> kept() const
    {
        return selects() ? kept_ : lengths_;
    }
    /// POPULAR: tokens that a head stores.
    [[nodiscard]] std::uint32_t stored(std::size_t o0, std::size_t o1) const
    {
        return stored_[o0 * heads() + o1];
    }
    /// EVICT: position and slots of the arriving token. Where decisions are drawn, all heads of an
    /// entry have one slot.
    [[nodiscard]] std::uint32_t now(std::size_t o0) const { return now_[o0]; }
    [[nodiscard]] std::span<const std::uint32_t> arrivals(std::size_t o0) const;
    /// One word for each of `heads` heads of each entry, entry by entry.
    [[nodiscard]] std::vector<std::uint32_t> words(const Table& table, std::size_t heads) const;

    /// Rows of scores to add for each (o0, o1).
    [[nodiscard]] std::size_t rows_of_scores() const;
    [[nodiscard]] bool scores_stream() const { return from_stream_; }
    /// Scores of one head from the stream; none without payload.
    [[nodiscard]] std::span<const float> streamed(std::size_t o0, std::size_t o1) const;
    /// Valid scores of one head in memory.
    [[nodiscard]] View scores(std::size_t o0, std::size_t o1) const;

private:
    void read_formats();
    void read_lengths();
    void read_stored();
    void read_arrivals();
    void accept_scores();
    void open_scores(Operation& operation);
    void open_table(Operation& operation, Direction direction, const Table& table,
                    std::span<const std::uint32_t> elements);
    void check_table(const Table& table, std::span<const std::uint32_t> elements,
                     std::size_t heads);

    CommandQueue& queue_;
    std::uint8_t opcode_ = 0;
    levee_se_operation op_{};
    levee_se_formats formats_{};
    Layout layout_{op_, formats_};
    std::vector<std::uint32_t> lengths_;  // Lengths by o0.
    std::vector<std::uint32_t> kept_;     // SELECT: per o0
    std::vector<std::uint32_t> stored_;   // POPULAR: per (o0, o1)
    std::vector<std::uint32_t> now_;      // EVICT: per o0
    std::vector<std::uint32_t> arrivals_; // EVICT: per (o0, o1), or o0 when drawn
    bool from_stream_ = false;            // the scores come from a stream port
    std::span<const float> stream_;
};

} // namespace levee::kv_tables
