// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/memory_access.hpp"
#include "core/command/operation.hpp"
#include "core/memory/row_list.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// The streams of an operation through memory, and its operands that no later operation reads.
/// These operands are discarded at the operation's end. `field` is as in MemoryAccess.
class OperandStreams {
public:
    OperandStreams(MemoryAccess& access, const Executor& executor)
        : access_(access), executor_(executor)
    {
    }

    /// Adds a stream to `operation`. `bytes` is its total, not 0; it exceeds the pattern's bytes if
    /// data are read again. A write whose bytes exceed its extent has overlapping runs and causes
    /// LEVEE_ERROR_FIELD. `parts` as in BulkExtension.
    void add_stream(Operation& operation, Direction direction, const AccessPattern& pattern,
                    std::uint64_t bytes, std::uint32_t field,
                    std::span<const std::uint64_t> parts = {});
    /// Adds a stream for rows that a table places, if there are any. Each row of a write is
    /// checked.
    void add_rows(Operation& operation, Direction direction, const RowList& rows,
                  std::uint64_t bytes, std::uint32_t field);
    /// Adds a stream for rows that a table places, in timing-only runs. Timing-only runs do not
    /// need the addresses of single rows.
    void add_spread(Operation& operation, Direction direction, const RowSpread& rows,
                    std::uint64_t bytes, std::uint32_t field);
    /// Marks part of a scattered stream that does not come from add_rows(). If no later operation
    /// reads this part, it is discarded at the operation's end.
    void note_read(const AccessPattern& pattern, std::uint32_t field);

protected:
    /// Resets the state for the next operation. `flags` are from its descriptor.
    void begin_streams(unsigned flags);
    /// Call before the last results are written, because a result may overwrite its operand.
    void discard_last_read();

private:
    [[nodiscard]] bool notes(std::uint32_t field) const;

    MemoryAccess& access_;
    const Executor& executor_;
    unsigned flags_ = 0;
    std::vector<AccessPattern> last_read_; // Operands to discard at the end of the operation.
};

} // namespace levee
