// SPDX-License-Identifier: Apache-2.0
// Checks of a descriptor, made before anything is read.
#include "core/abi/element_type.h"
#include "core/command/tensor_rows.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/cpq/operation_run.hpp"

namespace levee::cpq {

namespace {

using Op = levee_cpq_operation;

// Most values of one descriptor: it bounds what a corrupt one allocates.
constexpr std::uint64_t most_values = std::uint64_t{1} << 30;

} // namespace

void OperationRun::check() const
{
    if (opcode_ < LEVEE_CPQ_COMPRESS || opcode_ > LEVEE_CPQ_RESET)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    need_field(op_.outer > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op_.vectors > 0, LEVEE_ERROR_FIELD, offsetof(Op, vectors));
    need_field(op_.vector > 0, LEVEE_ERROR_FIELD, offsetof(Op, vector));
    need_field(op_.max_levels > 0 && op_.max_levels <= most_levels, LEVEE_ERROR_FIELD,
               offsetof(Op, max_levels));
    check_tables();
    if (opcode_ == LEVEE_CPQ_RESET)
        return;
    need_field(std::uint64_t{op_.outer} * op_.rows <= most_values / channels(), LEVEE_ERROR_FIELD,
               offsetof(Op, rows));
    need_field(op_.bits > 0 && op_.bits <= most_bits, LEVEE_ERROR_FIELD, offsetof(Op, bits));
    need_field(op_.threshold >= 0 && op_.threshold <= greatest_value, LEVEE_ERROR_FIELD,
               offsetof(Op, threshold));
    need_field(is_valid(settings()), LEVEE_ERROR_FIELD, offsetof(Op, tolerance));
    need_field((op_.flags & ~LEVEE_CPQ_OPEN) == 0 && (compresses() || op_.flags == 0),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    check_layout();
}

/// Checks that the rows have places, of elements of their type.
void OperationRun::check_layout() const
{
    const bool narrow = op_.type == LEVEE_TYPE_INT16;
    need_field(narrow || op_.type == LEVEE_TYPE_FP32, LEVEE_ERROR_FIELD, offsetof(Op, type));
    const auto need = [](std::uint64_t address, std::size_t member) {
        need_field(address != 0 && !StreamPorts::is_stream(address), LEVEE_ERROR_ADDRESS, member);
    };
    need(op_.data, offsetof(Op, data));
    need(op_.packed, offsetof(Op, packed));
    need(op_.records, offsetof(Op, records));
    need_field(narrow == (op_.scale != 0), LEVEE_ERROR_ADDRESS, offsetof(Op, scale));
    need_aligned(op_.data, op_.data_stride, op_.type, offsetof(Op, data),
                 offsetof(Op, data_stride));
    need_aligned(op_.scale, op_.scale_stride, LEVEE_TYPE_FP32, offsetof(Op, scale),
                 offsetof(Op, scale_stride));
    const auto aligned = [](std::int64_t value, std::size_t member) {
        need_field(value % 4 == 0, LEVEE_ERROR_ADDRESS, member);
    };
    aligned(static_cast<std::int64_t>(op_.records), offsetof(Op, records));
    aligned(op_.records_stride, offsetof(Op, records_stride));
    aligned(static_cast<std::int64_t>(op_.slots), offsetof(Op, slots));
    aligned(op_.slots_stride, offsetof(Op, slots_stride));
    aligned(static_cast<std::int64_t>(op_.lengths), offsetof(Op, lengths));
    aligned(op_.lengths_stride, offsetof(Op, lengths_stride));
    need_field(op_.rows <= 1 || op_.packed_stride[1] >= static_cast<std::int64_t>(most_bytes()),
               LEVEE_ERROR_FIELD, offsetof(Op, packed_stride) + sizeof op_.packed_stride[0]);
}

/// Bytes of the scale-zero buffer once the descriptor's tables are in use, too.
std::uint64_t OperationRun::bytes_in_use() const
{
    const auto bytes_of = [](const Slot& used) {
        return LEVEE_CPQ_TABLE_BYTES(used.channels, used.settings.max_levels);
    };
    std::uint64_t bytes = op_.outer * LEVEE_CPQ_TABLE_BYTES(channels(), op_.max_levels);
    for (const Slot& used : slots_)
        bytes += bytes_of(used);
    for (std::size_t o0 = 0; o0 < op_.outer; ++o0)
        if (const Slot* const used = slot_in_use(o0); used != nullptr)
            bytes -= bytes_of(*used);
    return bytes;
}

/// Checks that the tables are different ones, lie within the scale-zero buffer, and are used as
/// they were before.
void OperationRun::check_tables() const
{
    need_field(op_.outer == 1 || op_.table_step != 0, LEVEE_ERROR_FIELD, offsetof(Op, table_step));
    const std::uint64_t last = op_.table + (op_.outer - std::uint64_t{1}) * op_.table_step;
    const std::uint64_t bytes = LEVEE_CPQ_TABLE_BYTES(channels(), op_.max_levels);
    need_field(last < sz_bytes_ / bytes && (!compresses() || bytes_in_use() <= sz_bytes_),
               LEVEE_ERROR_FIELD, offsetof(Op, table));
    for (std::size_t o0 = 0; o0 < op_.outer && opcode_ != LEVEE_CPQ_RESET && !opens(); ++o0) {
        const Slot* const used = slot_in_use(o0);
        if (used == nullptr)
            continue;
        need_field(used->channels == channels(), LEVEE_ERROR_FIELD, offsetof(Op, vectors));
        need_field(used->settings.bits == op_.bits, LEVEE_ERROR_FIELD, offsetof(Op, bits));
        need_field(used->settings.max_levels == op_.max_levels, LEVEE_ERROR_FIELD,
                   offsetof(Op, max_levels));
        need_field(used->settings.tolerance == op_.tolerance, LEVEE_ERROR_FIELD,
                   offsetof(Op, tolerance));
    }
}

} // namespace levee::cpq
