// SPDX-License-Identifier: Apache-2.0
// Checks of a descriptor, made before its tables are read.
#include "core/numerics/tensor.hpp"
#include "ip/kv_tables/operation_run.hpp"

#include <iterator>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

// Most heads of one descriptor: bounds what a corrupt one allocates.
constexpr std::uint64_t most_heads = std::uint64_t{1} << 20;
constexpr std::uint32_t most_input_rows = 1u << 16;

constexpr std::size_t word_bytes = sizeof(std::uint32_t);

} // namespace

void OperationRun::check() const
{
    if (opcode_ < LEVEE_SE_ACCUMULATE || opcode_ > LEVEE_SE_FORGET)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const bool adds = opcode_ == LEVEE_SE_ACCUMULATE || opcode_ == LEVEE_SE_EVICT;
    const bool ranks = opcode_ == LEVEE_SE_EVICT || opcode_ == LEVEE_SE_SELECT;
    need_field(op_.outer[0] > 0 && op_.outer[1] > 0 &&
                   std::uint64_t{op_.outer[0]} * op_.outer[1] <= most_heads,
               LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(!adds || op_.rows > 0, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(opcode_ != LEVEE_SE_EVICT || op_.rows == 1, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(!adds || op_.group > 0, LEVEE_ERROR_FIELD, offsetof(Op, group));
    const bool forgets = opcode_ == LEVEE_SE_FORGET;
    need_field(!(adds || ranks || forgets) || op_.n > 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field(!(ranks || forgets) || op_.capacity > 0, LEVEE_ERROR_FIELD, offsetof(Op, capacity));
    need_field(op_.score <= LEVEE_SE_LOGIT, LEVEE_ERROR_FIELD, offsetof(Op, score));
    const unsigned known_flags = opcode_ == LEVEE_SE_ACCUMULATE ? LEVEE_SE_CAUSAL
                                 : ranks ? LEVEE_SE_RANDOM | LEVEE_SE_RECENT_HIGH | LEVEE_SE_REDRAW
                                         : 0;
    need_field((op_.flags & ~known_flags) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!makes_views() || (op_.view_bits >= 1 && op_.view_bits <= 7), LEVEE_ERROR_FIELD,
               offsetof(Op, view_bits));
    need_field(!forgets || (op_.keys | op_.values) == 0 || op_.kv_row_bytes > 0, LEVEE_ERROR_FIELD,
               offsetof(Op, kv_row_bytes));
    check_addresses();
    check_alignment();
}

/// Checks that an operation has the tables that it needs.
void OperationRun::check_addresses() const
{
    const bool accumulates = opcode_ == LEVEE_SE_ACCUMULATE;
    const bool evicts = opcode_ == LEVEE_SE_EVICT;
    const bool is_popular = opcode_ == LEVEE_SE_POPULAR;
    const bool forgets = opcode_ == LEVEE_SE_FORGET;
    const auto need = [](bool needed, std::uint64_t address, std::size_t member) {
        need_field(!needed || address != 0, LEVEE_ERROR_ADDRESS, member);
    };
    need(!is_popular && !accumulates, op_.lengths, offsetof(Op, lengths));
    need(!is_popular && !forgets, op_.importance, offsetof(Op, importance));
    need(!accumulates && !forgets, op_.positions, offsetof(Op, positions));
    need(!accumulates, op_.next, offsetof(Op, next));
    need(evicts, op_.now, offsetof(Op, now));
    need(evicts || (forgets && op_.formats != 0), op_.arrival, offsetof(Op, arrival));
    need(opcode_ == LEVEE_SE_SELECT || is_popular, op_.gather, offsetof(Op, gather));
    need(is_popular, op_.formats, offsetof(Op, formats));
    need_field(opcode_ != LEVEE_SE_SELECT || !StreamPorts::is_stream(op_.scores),
               LEVEE_ERROR_STREAM, offsetof(Op, scores));
}

void OperationRun::check_alignment() const
{
    const auto aligned = [](std::uint64_t address, auto& strides, std::uint64_t unit,
                            std::size_t address_member, std::size_t stride_member) {
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
        for (std::size_t i = 0; address != 0 && i < std::size(strides); ++i)
            need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                       stride_member + i * sizeof strides[i]);
    };
    constexpr std::size_t half = sizeof(std::uint16_t);
    if (!StreamPorts::is_stream(op_.scores))
        aligned(op_.scores, op_.scores_stride, opcode_ == LEVEE_SE_SELECT ? half : word_bytes,
                offsetof(Op, scores), offsetof(Op, scores_stride));
    aligned(op_.importance, op_.importance_stride, half, offsetof(Op, importance),
            offsetof(Op, importance_stride));
    aligned(op_.positions, op_.positions_stride, word_bytes, offsetof(Op, positions),
            offsetof(Op, positions_stride));
    aligned(op_.gather, op_.positions_stride, word_bytes, offsetof(Op, gather),
            offsetof(Op, positions_stride));
    const auto words = [&](std::uint64_t address, std::size_t member) {
        aligned(address, op_.table_stride, word_bytes, member, offsetof(Op, table_stride));
    };
    words(op_.lengths, offsetof(Op, lengths));
    words(op_.now, offsetof(Op, now));
    words(op_.arrival, offsetof(Op, arrival));
    words(op_.next, offsetof(Op, next));
    need_field(op_.formats % 8 == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, formats));
}

/// Reads struct levee_se_formats; all its errors name the field `formats`.
void OperationRun::read_formats()
{
    formats_ = {};
    if (op_.formats == 0 || opcode_ == LEVEE_SE_ACCUMULATE || opcode_ == LEVEE_SE_SELECT)
        return;
    AccessPattern pattern;
    pattern.address = op_.formats;
    pattern.run_bytes = sizeof formats_;
    queue_.read_control(pattern, &formats_, operation_field(offsetof(Op, formats)));
    const bool is_popular = opcode_ == LEVEE_SE_POPULAR;
    const auto need = [](bool good, levee_command_error code) {
        need_field(good, code, offsetof(Op, formats));
    };
    need(formats_.rows > 0 && formats_.rows <= most_input_rows, LEVEE_ERROR_FIELD);
    need(std::uint64_t{op_.outer[0]} * op_.outer[1] * formats_.rows <= most_heads * 64,
         LEVEE_ERROR_FIELD);
    need(formats_.x == 0 || formats_.x_row_bytes > 0, LEVEE_ERROR_FIELD);
    for (const std::uint64_t table : {formats_.redirect, formats_.slot_of, formats_.holders,
                                      formats_.x_positions, formats_.current, formats_.used})
        need(table != 0 && table % word_bytes == 0, LEVEE_ERROR_ADDRESS);
    need(!is_popular || (formats_.x_gather != 0 && formats_.x_gather % word_bytes == 0),
         LEVEE_ERROR_ADDRESS);
    for (const std::int32_t stride : {formats_.slot_of_stride[0], formats_.slot_of_stride[1],
                                      formats_.row_table_stride, formats_.entry_table_stride})
        need(stride % static_cast<std::int32_t>(word_bytes) == 0, LEVEE_ERROR_ADDRESS);
}

} // namespace levee::kv_tables
