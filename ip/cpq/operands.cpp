// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/operands.hpp"

#include "core/abi/element_type.h"
#include "core/command/tensor_rows.hpp"
#include "core/numerics/tensor.hpp"

#include <cstring>
#include <utility>

namespace levee::cpq {

namespace {

using Op = levee_cpq_operation;

// Limit on the number of values in one descriptor. More can only come from a corrupt descriptor.
constexpr std::uint64_t most_values = std::uint64_t{1} << 30;

/// Checks addresses and strides of the rows for their element type.
void check_layout(const Op& op)
{
    const bool narrow = op.type == LEVEE_TYPE_INT16;
    need_field(narrow || op.type == LEVEE_TYPE_FP32, LEVEE_ERROR_FIELD, offsetof(Op, type));
    const auto need = [](std::uint64_t address, std::size_t member) {
        need_field(address != 0 && !StreamPorts::is_stream(address), LEVEE_ERROR_ADDRESS, member);
    };
    need(op.data, offsetof(Op, data));
    need(op.packed, offsetof(Op, packed));
    need(op.records, offsetof(Op, records));
    need_field(narrow == (op.scale != 0), LEVEE_ERROR_ADDRESS, offsetof(Op, scale));
    need_aligned(op.data, op.data_stride, op.type, offsetof(Op, data), offsetof(Op, data_stride));
    need_aligned(op.scale, op.scale_stride, LEVEE_TYPE_FP32, offsetof(Op, scale),
                 offsetof(Op, scale_stride));
    const auto aligned = [](std::int64_t value, std::size_t member) {
        need_field(value % 4 == 0, LEVEE_ERROR_ADDRESS, member);
    };
    aligned(static_cast<std::int64_t>(op.records), offsetof(Op, records));
    aligned(op.records_stride, offsetof(Op, records_stride));
    aligned(static_cast<std::int64_t>(op.slots), offsetof(Op, slots));
    aligned(op.slots_stride, offsetof(Op, slots_stride));
    aligned(static_cast<std::int64_t>(op.lengths), offsetof(Op, lengths));
    aligned(op.lengths_stride, offsetof(Op, lengths_stride));
    const auto most = static_cast<std::int64_t>(most_row_bytes(channels_of(op), settings_of(op)));
    need_field(op.rows <= 1 || op.packed_stride[1] >= most, LEVEE_ERROR_FIELD,
               offsetof(Op, packed_stride) + sizeof op.packed_stride[0]);
}

void check(std::uint8_t opcode, const Op& op)
{
    if (opcode < LEVEE_CPQ_COMPRESS || opcode > LEVEE_CPQ_RESET)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    need_field(op.outer > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op.vectors > 0, LEVEE_ERROR_FIELD, offsetof(Op, vectors));
    need_field(op.vector > 0, LEVEE_ERROR_FIELD, offsetof(Op, vector));
    need_field(op.max_levels > 0 && op.max_levels <= most_levels, LEVEE_ERROR_FIELD,
               offsetof(Op, max_levels));
    need_field(op.outer == 1 || op.table_step != 0, LEVEE_ERROR_FIELD, offsetof(Op, table_step));
    if (opcode == LEVEE_CPQ_RESET)
        return;
    need_field(std::uint64_t{op.outer} * op.rows <= most_values / channels_of(op),
               LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(op.bits > 0 && op.bits <= most_bits, LEVEE_ERROR_FIELD, offsetof(Op, bits));
    need_field(op.threshold >= 0 && op.threshold <= greatest_value, LEVEE_ERROR_FIELD,
               offsetof(Op, threshold));
    need_field(is_valid(settings_of(op)), LEVEE_ERROR_FIELD, offsetof(Op, tolerance));
    const bool compresses = opcode == LEVEE_CPQ_COMPRESS;
    need_field((op.flags & ~LEVEE_CPQ_OPEN) == 0 && (compresses || op.flags == 0),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    check_layout(op);
}

} // namespace

void Operands::begin(const levee_descriptor& descriptor)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, queue_.operation().data(), sizeof op_);
    check(opcode_, op_);
}

void Operands::read_counts()
{
    entries_.assign(entries(), Entry{});
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        Entry& entry = entries_[o0];
        entry.count = op_.rows;
        if (op_.lengths != 0) {
            const std::uint32_t length =
                queue_.read_word(offset_by(op_.lengths, op_.lengths_stride, o0),
                                 operation_field(offsetof(Op, lengths)));
            need_field(length >= op_.length_less && length - op_.length_less <= op_.rows,
                       LEVEE_ERROR_FIELD, offsetof(Op, lengths));
            entry.count = length - op_.length_less;
        }
        if (op_.slots != 0 && entry.count != 0)
            read_slots(o0);
    }
}

void Operands::read_slots(std::size_t o0)
{
    Entry& entry = entries_[o0];
    std::vector<std::uint32_t> read(compresses() ? 1 : entry.count);
    queue_.read_control(
        contiguous(offset_by(op_.slots, op_.slots_stride, o0), read.size() * sizeof(std::uint32_t)),
        read.data(), operation_field(offsetof(Op, slots)));
    if (compresses())
        entry.first = read.front();
    else
        entry.slots = std::move(read);
}

AccessPattern Operands::vectors(std::size_t o0, std::uint64_t address,
                                const std::int32_t (&stride)[3], std::uint64_t run_bytes) const
{
    const Entry& entry = entries_[o0];
    AccessPattern pattern = contiguous(
        offset_by(offset_by(address, stride[0], o0), stride[1], compresses() ? entry.first : 0),
        run_bytes);
    pattern.count = {1, entry.count, op_.vectors};
    pattern.stride = {0, stride[1], stride[2]};
    return pattern;
}

View Operands::data(std::size_t o0) const
{
    return {queue_, vectors(o0, op_.data, op_.data_stride, bytes_of(op_.vector, op_.type)),
            operation_field(offsetof(Op, data))};
}

View Operands::scales(std::size_t o0) const
{
    return {queue_, vectors(o0, op_.scale, op_.scale_stride, sizeof(float)),
            operation_field(offsetof(Op, scale))};
}

/// Number of a packed row.
std::uint32_t Operands::number(std::size_t o0, std::size_t row) const
{
    const Entry& entry = entries_[o0];
    return entry.slots.empty() ? entry.first + static_cast<std::uint32_t>(row) : entry.slots[row];
}

View Operands::packed_row(std::size_t o0, std::size_t row, std::uint64_t bytes) const
{
    return {queue_,
            contiguous(offset_by(offset_by(op_.packed, op_.packed_stride[0], o0),
                                 op_.packed_stride[1], number(o0, row)),
                       bytes),
            operation_field(offsetof(Op, packed))};
}

View Operands::packed_rows(std::size_t o0, std::uint64_t bytes) const
{
    RowSpread rows;
    for (std::size_t row = 0; row < entries_[o0].count; ++row)
        rows.add(packed_row(o0, row, 1).pattern.address);
    rows.row_bytes = bytes;
    View view{queue_, rows.stream(), operation_field(offsetof(Op, packed))};
    view.pattern.scattered = !entries_[o0].slots.empty();
    return view;
}

View Operands::record(std::size_t o0, std::size_t row) const
{
    return {queue_,
            contiguous(offset_by(offset_by(op_.records, op_.records_stride, o0),
                                 sizeof(levee_cpq_record), number(o0, row)),
                       sizeof(levee_cpq_record)),
            operation_field(offsetof(Op, records))};
}

} // namespace levee::cpq
