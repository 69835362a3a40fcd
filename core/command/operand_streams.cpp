// SPDX-License-Identifier: Apache-2.0
#include "core/command/operand_streams.hpp"

namespace levee {

void OperandStreams::begin_streams(unsigned flags)
{
    flags_ = flags;
    last_read_.clear();
}

void OperandStreams::add_stream(Operation& operation, Direction direction,
                                const AccessPattern& pattern, std::uint64_t bytes,
                                std::uint32_t field, std::span<const std::uint64_t> parts)
{
    if (!pattern.fits_transaction())
        throw CommandFault{LEVEE_ERROR_FIELD, field};
    const auto extent = pattern.extent();
    if (!extent)
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
    if (direction == Direction::Write && pattern.bytes() - 1 > extent->last - extent->first)
        throw CommandFault{LEVEE_ERROR_FIELD, field};
    access_.open(direction, pattern, bytes, operation, field, parts);
    if (direction == Direction::Read && !pattern.scattered)
        note_read(pattern, field);
}

void OperandStreams::add_rows(Operation& operation, Direction direction, const RowList& rows,
                              std::uint64_t bytes, std::uint32_t field)
{
    if (rows.empty())
        return;
    const bool checked = direction == Direction::Write && !access_.timing_only();
    const bool noted = direction == Direction::Read && notes(field);
    for (std::size_t i = 0; i < rows.addresses.size() && checked; ++i)
        access_.check_write(rows.row(i), field);
    for (std::size_t i = 0; i < rows.addresses.size() && noted; ++i)
        note_read(rows.row(i), field);
    add_spread(operation, direction, rows.spread(), bytes, field);
}

/// Adds a scattered stream. If the first and the last row are in one memory, so are all rows.
void OperandStreams::add_spread(Operation& operation, Direction direction, const RowSpread& rows,
                                std::uint64_t bytes, std::uint32_t field)
{
    if (rows.rows == 0)
        return;
    if (access_.timing_only())
        access_.check(direction, rows.ends(), field);
    add_stream(operation, direction, rows.stream(), bytes, field);
}

/// Whether this operation is the last one that reads the operand of this field.
bool OperandStreams::notes(std::uint32_t field) const
{
    constexpr unsigned last_read_flags[] = {LEVEE_DESC_LAST_READ_0, LEVEE_DESC_LAST_READ_1};
    const auto operand = executor_.operand_of(field);
    return operand && (flags_ & last_read_flags[*operand]) != 0;
}

void OperandStreams::note_read(const AccessPattern& pattern, std::uint32_t field)
{
    if (notes(field) && (!access_.timing_only() || access_.tracks(pattern.address)))
        last_read_.push_back(pattern);
}

void OperandStreams::discard_last_read()
{
    for (const AccessPattern& pattern : last_read_)
        access_.discard(pattern);
}

} // namespace levee
