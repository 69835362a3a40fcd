// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/memory_access.hpp"
#include "core/command/operation.hpp"
#include "core/memory/row_list.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// An operation's streams through memory, and the operands that it is the last to read. `field` is
/// as for MemoryAccess.
class OperandStreams {
public:
    OperandStreams(MemoryAccess& access, const Executor& executor)
        : access_(access), executor_(executor)
    {
    }

    /// Adds a stream to `operation`; `bytes` (not 0) is its total, more than the pattern's if data
    /// are read again. A write whose runs must overlap, since their bytes exceed their extent, is
    /// LEVEE_ERROR_FIELD. `parts` as in BulkExtension.
    void add_stream(Operation& operation, Direction direction, const AccessPattern& pattern,
                    std::uint64_t bytes, std::uint32_t field,
                    std::span<const std::uint64_t> parts = {});
    /// The same for rows placed by a table, if there are any; for a write, checks each row.
    void add_rows(Operation& operation, Direction direction, const RowList& rows,
                  std::uint64_t bytes, std::uint32_t field);
    /// The same for timing-only runs, where individual rows are not needed.
    void add_spread(Operation& operation, Direction direction, const RowSpread& rows,
                    std::uint64_t bytes, std::uint32_t field);
    /// Marks part of a scattered stream that is not from add_rows: discarded at the end of the
    /// operation if that is the last to read it.
    void note_read(const AccessPattern& pattern, std::uint32_t field);

protected:
    /// Resets the state for the next operation; `flags` are from its descriptor.
    void begin_streams(unsigned flags);
    /// Runs before the last results are written, since a result may overwrite its operand.
    void discard_last_read();

private:
    [[nodiscard]] bool notes(std::uint32_t field) const;

    MemoryAccess& access_;
    const Executor& executor_;
    unsigned flags_ = 0;
    std::vector<AccessPattern> last_read_; // operands to discard at the end of the operation
};

} // namespace levee
