// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/sfu/vector_rows.hpp"
#include "ip/sfu/vector_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::sfu {

/// An operation's results: their streams, their formats, and how they are written.
class VectorResults {
public:
    VectorResults(CommandQueue& queue, const VectorOperation& operation, const VectorTables& tables)
        : queue_(queue), op_(operation), tables_(tables)
    {
    }

    /// Adds the results' streams. Throws CommandFault.
    void open(Operation& operation);
    /// Functional runs: allocates the results of all vectors.
    void make_room();
    /// Converts a vector's result to the format of `out` and stores it.
    void store(std::size_t vector, std::span<const float> result);
    void store(std::size_t vector, const levee_sfu_pick& pick);
    /// Returns a softmax's vector on the tap, which has tap_elements() elements, initially 0; empty
    /// without a tap.
    [[nodiscard]] std::span<float> tap(std::size_t vector);
    /// Returns a vector's running maximum and sum. keep(), below, is the factor for the vector's
    /// earlier parts.
    [[nodiscard]] levee_sfu_running* running(std::size_t vector)
    {
        return payload_of(runnings_, vector);
    }
    [[nodiscard]] float& keep(std::size_t vector) { return factors_[vector]; }
    /// Call when all vectors are computed. Sets the data for a stream port, and how the other
    /// results are written.
    void finish(Operation& operation);

    /// Overflows of all operations so far.
    [[nodiscard]] Overflows& overflows() { return overflows_; }
    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

private:
    /// One of the operation's outputs.
    struct Result : VectorRows {
        bool given = false;
        bool scattered = false; ///< A table gives the places of its rows.
        bool tracked = false;   ///< Whether its memory tracks accesses.
    };

    void open_result(Operation& operation, Result& result, std::uint32_t field);
    void open_groups(Operation& operation, Result& result, std::uint32_t field);
    [[nodiscard]] RowSpread spread_groups(const Result& result) const;
    void open_placed(Operation& operation, Result& result, std::uint32_t field);
    void open_expected(Operation& operation, const Result& result, std::uint32_t field);
    void write_groups(std::uint32_t first, std::uint32_t last);
    void write(const Result& result, std::uint32_t group, const void* packed);
    void write_picks(std::uint32_t first, std::uint32_t last);
    /// Calls visit(pattern, offset) for each part of `result` that group `index` writes. `offset`
    /// is in bytes from the group's first row.
    void for_each_written(const Result& result, std::size_t index, auto visit) const;
    /// Pointer to a buffer's elements from `at` on; null in timing-only runs.
    template <typename Buffer>
    [[nodiscard]] auto payload_of(Buffer& buffer, std::size_t at) const -> decltype(buffer.data())
    {
        return queue_.timing_only() ? nullptr : buffer.data() + at;
    }

    CommandQueue& queue_;
    const VectorOperation& op_;
    const VectorTables& tables_;

    Result out_, scale_, running_, keep_;
    RowList rows_;
    std::vector<std::uint8_t> packed_;        // Bytes of `out`, group by group.
    std::vector<std::int8_t> codes_;          // Codes of a vector before they are packed to INT4.
    std::vector<float> scales_;               // One per vector.
    std::vector<float> tap_;                  // Softmaxes with a tap: the probabilities.
    std::vector<levee_sfu_running> runnings_; // One per vector.
    std::vector<float> factors_;              // SOFTMAX_PART: one per vector.
    Overflows overflows_;
};

} // namespace levee::sfu
