// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/cpq/model.hpp"
#include "ip/cpq/regs.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::cpq {

[[nodiscard]] inline std::uint32_t channels_of(const levee_cpq_operation& op)
{
    return std::uint32_t{op.vectors} * op.vector;
}
[[nodiscard]] inline Settings settings_of(const levee_cpq_operation& op)
{
    return {op.bits, op.max_levels, op.threshold, op.tolerance};
}

/// Operands of one operation: which rows it processes, and where they are in memory.
class Operands {
public:
    explicit Operands(CommandQueue& queue) : queue_(queue) {}

    /// Checks the descriptor. Throws CommandFault.
    void begin(const levee_descriptor& descriptor);
    /// Reads the number of rows, and the rows' numbers. Throws CommandFault.
    void read_counts();

    [[nodiscard]] const levee_cpq_operation& op() const { return op_; }
    [[nodiscard]] bool resets() const { return opcode_ == LEVEE_CPQ_RESET; }
    [[nodiscard]] bool compresses() const { return opcode_ == LEVEE_CPQ_COMPRESS; }
    [[nodiscard]] bool opens() const { return compresses() && (op_.flags & LEVEE_CPQ_OPEN) != 0; }
    [[nodiscard]] std::uint32_t channels() const { return channels_of(op_); }
    [[nodiscard]] std::uint64_t most_bytes() const
    {
        return most_row_bytes(channels(), settings_of(op_));
    }
    [[nodiscard]] std::size_t table(std::size_t o0) const
    {
        return op_.table + o0 * op_.table_step;
    }

    [[nodiscard]] std::size_t entries() const { return op_.outer; }
    [[nodiscard]] std::uint32_t rows(std::size_t o0) const { return entries_[o0].count; }

    /// Return an entry's rows, [row][vector][element], and one scale for each vector.
    [[nodiscard]] View data(std::size_t o0) const;
    [[nodiscard]] View scales(std::size_t o0) const;
    [[nodiscard]] View packed_row(std::size_t o0, std::size_t row, std::uint64_t bytes) const;
    /// An entry's packed rows as a stream of rows with `bytes` bytes each.
    [[nodiscard]] View packed_rows(std::size_t o0, std::uint64_t bytes) const;
    [[nodiscard]] View record(std::size_t o0, std::size_t row) const;

private:
    /// The rows of one sequence.
    struct Entry {
        std::uint32_t count = 0;
        std::uint32_t first = 0;          ///< COMPRESS: number of the first row.
        std::vector<std::uint32_t> slots; ///< EXPAND of listed rows: the rows' numbers.
    };
    void read_slots(std::size_t o0);
    [[nodiscard]] std::uint32_t number(std::size_t o0, std::size_t row) const;
    [[nodiscard]] AccessPattern vectors(std::size_t o0, std::uint64_t address,
                                        const std::int32_t (&stride)[3],
                                        std::uint64_t run_bytes) const;

    CommandQueue& queue_;
    std::uint8_t opcode_ = 0;
    levee_cpq_operation op_{};
    std::vector<Entry> entries_; ///< by o0
};

} // namespace levee::cpq
