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

/// Largest number of slots in one descriptor, summed over all heads. The limit bounds the memory
/// that a corrupt descriptor can allocate.
inline constexpr std::uint64_t most_slots = std::uint64_t{1} << 26;

/// Operands of one operation: descriptor, formats, control words, streams of its tables, and
/// addresses of all results.
class Operands {
public:
    explicit Operands(CommandQueue& queue) : queue_(queue) {}

    /// Checks the descriptor and reads formats and words. This and all functions below throw
    /// CommandFault.
    void read(const levee_descriptor& descriptor);
    /// Opens the stream port of the scores, if they have one, and streams for tables with one
    /// element per slot. Tables with one word per head or per input row are read together with the
    /// descriptor, without traffic.
    void open(Operation& operation);
    /// Checks the addresses of all results that are written without a stream.
    void check_writes();

    [[nodiscard]] bool accumulates() const { return opcode_ == LEVEE_SE_ACCUMULATE; }
    [[nodiscard]] bool evicts() const { return opcode_ == LEVEE_SE_EVICT; }
    [[nodiscard]] bool selects() const { return opcode_ == LEVEE_SE_SELECT; }
    [[nodiscard]] bool is_popular() const { return opcode_ == LEVEE_SE_POPULAR; }
    [[nodiscard]] bool forgets() const { return opcode_ == LEVEE_SE_FORGET; }
    [[nodiscard]] bool makes_views() const { return op_.views != 0 && (evicts() || selects()); }

    [[nodiscard]] const levee_se_operation& op() const { return op_; }
    /// Without formats, `rows` is 0.
    [[nodiscard]] const levee_se_formats& formats() const { return formats_; }
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] Policy policy(Ties ties) const;
    [[nodiscard]] std::uint32_t entries() const { return op_.outer[0]; }
    [[nodiscard]] std::uint32_t heads() const { return op_.outer[1]; }

    /// Number of valid slots; POPULAR: the largest number of any head.
    [[nodiscard]] std::uint32_t length(std::size_t o0) const { return lengths_[o0]; }
    [[nodiscard]] std::span<const std::uint32_t> lengths() const { return lengths_; }
    /// Number of slots whose importance is written.
    [[nodiscard]] std::span<const std::uint32_t> kept() const
    {
        return selects() ? kept_ : lengths_;
    }
    /// POPULAR: number of tokens that a head stores.
    [[nodiscard]] std::uint32_t stored(std::size_t o0, std::size_t o1) const
    {
        return stored_[o0 * heads() + o1];
    }
    /// EVICT: position and slots of the arriving token. If decisions are drawn, all heads of an
    /// entry have the same slot.
    [[nodiscard]] std::uint32_t now(std::size_t o0) const { return now_[o0]; }
    [[nodiscard]] std::span<const std::uint32_t> arrivals(std::size_t o0) const;
    /// Reads one word for each of `heads` heads of each entry, entry by entry.
    [[nodiscard]] std::vector<std::uint32_t> words(const Table& table, std::size_t heads) const;

    /// Number of rows of scores to add for each head.
    [[nodiscard]] std::size_t rows_of_scores() const;
    [[nodiscard]] bool scores_stream() const { return from_stream_; }
    /// Returns the scores of one head from the stream; empty in timing-only runs.
    [[nodiscard]] std::span<const float> streamed(std::size_t o0, std::size_t o1) const;
    /// Returns the access to the valid scores of one head in memory.
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
    std::vector<std::uint32_t> lengths_;  // One for each batch entry.
    std::vector<std::uint32_t> kept_;     // SELECT: one for each batch entry.
    std::vector<std::uint32_t> stored_;   // POPULAR: one for each head of each entry.
    std::vector<std::uint32_t> now_;      // EVICT: the arriving token's position, by entry.
    std::vector<std::uint32_t> arrivals_; // EVICT: by entry and head; if drawn, by entry.
    bool from_stream_ = false;            // The scores come from a stream port.
    std::span<const float> stream_;
};

} // namespace levee::kv_tables
