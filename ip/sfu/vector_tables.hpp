// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/sfu/vector_operation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::sfu {

/// The vectors of one iteration (o0, o1) of the outer loops.
struct Group {
    std::uint32_t o0, o1;
    std::uint32_t length;   ///< Softmaxes: number of valid elements.
    std::uint32_t position; ///< Position of row 0 (ROPE, EMBED), or bits of SAMPLE's temperature.
    std::uint32_t scatter;  ///< Output row of row 0 (0 without SCATTER); LEVEE_SFU_SKIP: none.
};

/// Range of a vector's elements that a row of a softmax uses.
struct Seen {
    std::uint32_t first, count;
};

/// An operation's tables of lengths, positions and indices. Timing-only runs read only the tables
/// on which accesses or times depend.
class VectorTables {
public:
    VectorTables(CommandQueue& queue, const VectorOperation& operation)
        : queue_(queue), op_(operation)
    {
    }

    /// Throws CommandFault.
    void read();
    [[nodiscard]] Group group(std::size_t index) const;
    [[nodiscard]] Seen seen(const Group& group, std::uint32_t row) const;
    /// ROPE: position of a row of a group. `vector` is the number of the row's vector.
    [[nodiscard]] std::uint32_t position(const Group& group, std::uint32_t row,
                                         std::size_t vector) const
    {
        return row_positions_.empty() ? group.position + row : row_positions_[vector];
    }
    /// EMBED, LOG_PROB: one index per vector.
    [[nodiscard]] const std::vector<std::uint32_t>& indices() const { return indices_; }
    /// SCATTER: the output row of each group's row 0.
    [[nodiscard]] const std::vector<std::uint32_t>& scatters() const { return scatters_; }
    [[nodiscard]] std::uint32_t least_scatter() const { return least_scatter_; }
    /// SCATTER with ROW_WORDS: the output row of each vector.
    [[nodiscard]] const std::vector<std::uint32_t>& row_targets() const { return row_targets_; }
    /// TAP_LISTED: places on the tap for the elements of a group, one for each element.
    [[nodiscard]] std::span<const std::uint32_t> tap_places(const Group& group) const
    {
        return std::span(tap_places_)
            .subspan((std::size_t{group.o0} * op_.shared_heads() + op_.shared_head(group.o1)) *
                         op_.n,
                     op_.n);
    }

private:
    void read_lengths();
    void check_causal() const;
    void read_positions(std::uint32_t words, std::vector<std::uint32_t>& into);
    void read_indices(std::uint32_t words, std::vector<std::uint32_t>& into);
    void read_vector_indices();
    void read_row_words();
    void read_tap_places();
    void read_words(const AccessPattern& pattern, std::size_t member,
                    std::vector<std::uint32_t>& into);
    [[nodiscard]] AccessPattern words_of(std::uint64_t table, std::uint32_t stride0,
                                         std::uint32_t stride1, std::uint32_t words) const;

    CommandQueue& queue_;
    const VectorOperation& op_;
    std::vector<std::uint32_t> lengths_;              // Softmaxes: one length per (o0, head of y).
    std::uint32_t length_words_ = 0;                  // Number of length words for an o0.
    std::vector<std::uint32_t> positions_, scatters_; // One per group.
    std::uint32_t least_scatter_ = 0;
    std::vector<std::uint32_t> indices_;
    std::vector<std::uint32_t> tap_places_; // TAP_LISTED: n for each (o0, head of y).
    std::vector<std::uint32_t> row_positions_, row_targets_; // ROW_WORDS: one per vector.
};

} // namespace levee::sfu
