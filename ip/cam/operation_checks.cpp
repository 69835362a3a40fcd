// SPDX-License-Identifier: Apache-2.0
// Checks of a descriptor, made before any operand is read.
#include "core/command/tensor_rows.hpp"
#include "ip/cam/operation_run.hpp"

#include <cmath>

namespace levee::cam {

namespace {

using Op = levee_cam_operation;

// Limits on the number of slices in one descriptor, and on the words of their lists. Larger sizes
// can only come from a corrupt descriptor.
constexpr std::uint64_t most_slices = std::uint64_t{1} << 20;
constexpr std::uint64_t most_words = std::uint64_t{1} << 28;

void need(bool needed, std::uint64_t address, std::size_t member)
{
    need_field(!needed || (address != 0 && !StreamPorts::is_stream(address)), LEVEE_ERROR_ADDRESS,
               member);
}

} // namespace

void OperationRun::check() const
{
    if (opcode_ != LEVEE_CAM_WRITE && opcode_ != LEVEE_CAM_SEARCH)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const std::uint64_t slices = std::uint64_t{op_.outer[0]} * op_.outer[1];
    need_field(slices > 0 && slices <= most_slices, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op_.rows > 0, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(op_.slice_slots > 0, LEVEE_ERROR_FIELD, offsetof(Op, slice_slots));
    if (opcode_ == LEVEE_CAM_SEARCH) {
        need_field(op_.width > 0 && op_.width <= most_words / slices, LEVEE_ERROR_FIELD,
                   offsetof(Op, width));
        need_field(op_.merge <= LEVEE_CAM_SUM, LEVEE_ERROR_FIELD, offsetof(Op, merge));
    }
    check_format();
    check_addresses();
    check_rows();
}

void OperationRun::check_format() const
{
    need_field(op_.n > 0 && op_.n <= LEVEE_CAM_MAX_DIMS, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field(op_.type == LEVEE_TYPE_INT16 || op_.type == LEVEE_TYPE_INT8, LEVEE_ERROR_FIELD,
               offsetof(Op, type));
    need_field(op_.bits > 0 && op_.bits <= build_.cell_bits, LEVEE_ERROR_FIELD, offsetof(Op, bits));
    need_field(op_.distance <= LEVEE_CAM_L2_PRODUCT, LEVEE_ERROR_FIELD, offsetof(Op, distance));
    need_field(std::isfinite(op_.range) && op_.range >= 0, LEVEE_ERROR_FIELD, offsetof(Op, range));
}

void OperationRun::check_addresses() const
{
    const bool writes = opcode_ == LEVEE_CAM_WRITE;
    need(true, op_.vectors, offsetof(Op, vectors));
    need(writes && op_.range != 0, op_.scales, offsetof(Op, scales));
    need(writes, op_.slots, offsetof(Op, slots));
    need(!writes, op_.lengths, offsetof(Op, lengths));
    need(!writes, op_.counts, offsetof(Op, counts));
    need(!writes, op_.list, offsetof(Op, list));
    need(op_.any != 0, op_.any_count, offsetof(Op, any_count));
    need_aligned(op_.vectors, op_.vectors_stride, op_.type, offsetof(Op, vectors),
                 offsetof(Op, vectors_stride));
    need_aligned(op_.scales, op_.scales_stride, LEVEE_TYPE_FP32, offsetof(Op, scales),
                 offsetof(Op, scales_stride));
    need_aligned(op_.list, op_.list_stride, LEVEE_TYPE_UINT32, offsetof(Op, list),
                 offsetof(Op, list_stride));
    need_aligned(op_.slots, op_.slots_stride, LEVEE_TYPE_UINT32, offsetof(Op, slots),
                 offsetof(Op, slots_stride));
    const std::int32_t any_stride[1] = {op_.any_stride};
    need_aligned(op_.any, any_stride, LEVEE_TYPE_UINT32, offsetof(Op, any),
                 offsetof(Op, any_stride));
    const std::int32_t any_count_stride[1] = {op_.any_count_stride};
    need_aligned(op_.any_count, any_count_stride, LEVEE_TYPE_UINT32, offsetof(Op, any_count),
                 offsetof(Op, any_count_stride));
    const std::uint16_t word_stride[1] = {op_.word_stride};
    need_aligned(op_.lengths, word_stride, LEVEE_TYPE_UINT32, offsetof(Op, lengths),
                 offsetof(Op, word_stride));
    need_aligned(op_.counts, word_stride, LEVEE_TYPE_UINT32, offsetof(Op, counts),
                 offsetof(Op, word_stride));
}

/// Checks that the last row of the last slice exists.
void OperationRun::check_rows() const
{
    need_field(build_.arrays.side_by_side(cells(format_)) <= build_.arrays.count, LEVEE_ERROR_FIELD,
               offsetof(Op, n));
    const std::uint64_t last = row_of(op_.outer[0] - 1u, op_.outer[1] - 1u);
    need_field(last + op_.slice_slots <= proxies_.rows_for(format_), LEVEE_ERROR_FIELD,
               offsetof(Op, first_row));
}

} // namespace levee::cam
