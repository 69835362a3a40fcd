// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/sfu/vector_rows.hpp"
#include "ip/sfu/vector_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::sfu {

/// An operation's operands: their streams, and their elements group by group.
class VectorInputs {
public:
    VectorInputs(CommandQueue& queue, const VectorOperation& operation, const VectorTables& tables)
        : queue_(queue), op_(operation), tables_(tables)
    {
    }

    /// Adds the operands' streams and reads operands that all vectors share. Throws CommandFault.
    void open(Operation& operation);
    /// Whether groups must be loaded. Functional runs always load groups. Timing-only runs only
    /// load them if a memory tracks the accesses, or if an address depends on a word in memory.
    [[nodiscard]] bool need_loading();
    /// Reads the operands of group number `index`, and the `running` values of its vectors.
    void load(const Group& group, std::size_t index, levee_sfu_running* running);

    /// Returns the elements of a row of the loaded group.
    [[nodiscard]] std::span<const float> x(std::uint32_t row, std::size_t vector) const;
    [[nodiscard]] std::span<const float> y(std::uint32_t row) const { return row_of(y_, row); }
    /// Softmaxes: a factor for each element.
    [[nodiscard]] std::span<const float> factors() const { return y_; }
    [[nodiscard]] std::span<const float> gain() const { return gain_; }
    [[nodiscard]] std::span<const float> bias() const { return bias_; }
    [[nodiscard]] std::span<const std::uint32_t> phase() const { return phase_; }
    /// Softmaxes: the sink of group number `index`.
    [[nodiscard]] std::optional<float> sink(std::size_t index) const
    {
        return sinks_.empty() ? std::nullopt : std::optional(sinks_[index]);
    }
    /// EMBED: a row of the table; below, the row's scales.
    [[nodiscard]] std::span<const std::byte> table_row(std::uint32_t row) const;
    [[nodiscard]] std::span<const float> scales(std::uint32_t row) const;

private:
    void open_x(Operation& operation);
    void accept_stream();
    void open_table(Operation& operation);
    void open_y(Operation& operation);
    void open_vector(Operation& operation, std::uint64_t address, std::vector<float>& into,
                     std::uint32_t field);
    void open_sinks(Operation& operation);
    void load_x(const Group& group);
    void load_y(const Group& group);
    void load_table_rows(std::size_t index);
    /// Reads `count` elements, of type FP32 or FP16.
    void load_elements(const AccessPattern& rows, unsigned type, std::size_t count,
                       std::vector<float>& into, std::uint32_t field);
    [[nodiscard]] VectorRows rows_of_x() const;
    [[nodiscard]] VectorRows rows_of_y() const;
    /// EMBED: returns the access to the rows of y at the group's positions.
    [[nodiscard]] AccessPattern position_rows(const Group& group) const;
    [[nodiscard]] std::span<const float> row_of(std::span<const float> all, std::uint32_t row) const
    {
        return all.empty() ? all : all.subspan(std::size_t{row} * op_.n, op_.n);
    }
    /// Resizes a buffer for `size` elements. Returns null in timing-only runs.
    template <typename T> T* room(std::vector<T>& elements, std::size_t size) const
    {
        if (queue_.timing_only())
            return nullptr;
        elements.resize(size);
        return elements.data();
    }

    CommandQueue& queue_;
    const VectorOperation& op_;
    const VectorTables& tables_;

    bool streamed_ = false;         // x comes from a stream port.
    std::span<const float> stream_; // x from the stream port.
    std::vector<float> x_, y_, gain_, bias_, sinks_;
    std::vector<std::uint16_t> halves_; // FP16 elements as read.
    std::vector<std::uint32_t> phase_;
    std::vector<std::uint8_t> table_; // EMBED: the rows of one group.
    std::vector<float> scales_;
};

} // namespace levee::sfu
