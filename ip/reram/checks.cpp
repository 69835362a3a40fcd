// SPDX-License-Identifier: Apache-2.0
// Checks a descriptor, its table of stages and its lengths.
#include "core/numerics/tensor.hpp"
#include "ip/reram/staged_operation.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace levee::reram {

namespace {

using Op = levee_reram_operation;

/// Only a corrupt descriptor can have larger numbers.
constexpr std::uint64_t most_products = 1u << 20;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 30;
constexpr std::uint32_t most_input_bits = 31;

void need(bool good, std::size_t member)
{
    need_field(good, LEVEE_ERROR_FIELD, member);
}

bool is_integer(unsigned type)
{
    return type == LEVEE_TYPE_INT8 || type == LEVEE_TYPE_INT16;
}

void need_aligned(std::uint64_t address, std::span<const std::int32_t> strides, unsigned type,
                  std::size_t address_member, std::size_t stride_member)
{
    const auto unit = static_cast<std::int64_t>(alignment_of(type));
    if (address == 0 || StreamPorts::is_stream(address))
        return;
    need_field(address % static_cast<std::uint64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
               address_member);
    for (std::size_t i = 0; i < strides.size(); ++i)
        need_field(strides[i] % unit == 0, LEVEE_ERROR_ADDRESS,
                   stride_member + i * sizeof(std::int32_t));
}

/// Whether matrices with these strides certainly do not overlap. Each stride must be 0 (the same
/// matrix) or at least `units`, the size of a matrix. The greater stride must be at least the span
/// of all matrices in the loop with the smaller stride. Some unusual layouts without overlap are
/// also refused.
bool lie_apart(const Op& op, const levee_reram_stage& stage, std::uint64_t units)
{
    std::array<std::pair<std::uint64_t, std::uint64_t>, 2> loops{
        {{stage.unit_stride[0], op.outer[0]}, {stage.unit_stride[1], op.outer[1]}}};
    std::ranges::sort(loops);
    std::uint64_t taken = units;
    for (const auto& [stride, count] : loops) {
        if (stride == 0 || count == 1)
            continue;
        if (stride < taken)
            return false;
        taken += stride * (count - 1);
    }
    return true;
}

/// Whether the lists have a unit in common. Both are sorted.
bool share_units(std::span<const UnitRange> a, std::span<const UnitRange> b)
{
    while (!a.empty() && !b.empty()) {
        if (a.front().first < b.front().end() && b.front().first < a.front().end())
            return true;
        auto& behind = a.front().end() <= b.front().first ? a : b;
        behind = behind.subspan(1);
    }
    return false;
}

} // namespace

void StagedOperation::check(std::uint8_t opcode) const
{
    need(op_.outer[0] > 0 && op_.outer[1] > 0 &&
             std::uint64_t{op_.outer[0]} * op_.outer[1] <= most_products,
         offsetof(Op, outer));
    need(op_.m1 > 0, offsetof(Op, m1));
    need(op_.m0 > 0, offsetof(Op, m0));
    need(op_.k > 0 && op_.k <= most_elements, offsetof(Op, k));
    need_field(is_integer(op_.a_type), LEVEE_ERROR_TYPE, offsetof(Op, a_type));
    need(op_.reserved[0] == 0 && op_.reserved[1] == 0 && op_.reserved[2] == 0,
         offsetof(Op, reserved));
    need_field(op_.a != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, a));
    need_field(op_.stages != 0 && op_.stages % 4 == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, stages));
    need_aligned(op_.a, op_.a_stride, op_.a_type, offsetof(Op, a), offsetof(Op, a_stride));
    need_aligned(op_.a_scale, op_.a_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, a_scale),
                 offsetof(Op, a_scale_stride));
    need_aligned(op_.lengths, op_.lengths_stride, LEVEE_TYPE_UINT32, offsetof(Op, lengths),
                 offsetof(Op, lengths_stride));
    opcode == LEVEE_RERAM_PRODUCT ? check_product() : check_write();
}

void StagedOperation::check_product() const
{
    const bool raw = op_.out_type == LEVEE_TYPE_NONE;
    const std::uint64_t vectors = std::uint64_t{op_.outer[0]} * op_.outer[1] * op_.m1 * op_.m0;
    need(op_.n > 0 && op_.n <= most_elements / vectors && op_.k <= most_elements / vectors,
         offsetof(Op, n));
    need((op_.flags & ~(LEVEE_RERAM_PIPELINED | LEVEE_RERAM_UNSIGNED)) == 0, offsetof(Op, flags));
    need(op_.ragged <= LEVEE_RERAM_RAGGED_K, offsetof(Op, ragged));
    need((op_.ragged != LEVEE_RERAM_RAGGED_NONE) == (op_.lengths != 0), offsetof(Op, lengths));
    need(op_.stage_count > 0 && op_.stage_count <= LEVEE_RERAM_MOST_STAGES,
         offsetof(Op, stage_count));
    need_field(raw || op_.out_type == LEVEE_TYPE_FP32, LEVEE_ERROR_TYPE, offsetof(Op, out_type));
    need_field(op_.out != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
    need(!raw || (op_.a_scale == 0 && !StreamPorts::is_stream(op_.a)), offsetof(Op, a_scale));
    need(!raw || op_.b_scale == 0, offsetof(Op, b_scale));
    need(!raw || op_.bias == 0, offsetof(Op, bias));
    need_field(!raw || !StreamPorts::is_stream(op_.out), LEVEE_ERROR_STREAM, offsetof(Op, out));
    need(!StreamPorts::is_stream(op_.a) ||
             (op_.a_scale == 0 && (op_.flags & LEVEE_RERAM_UNSIGNED) == 0 &&
              op_.ragged != LEVEE_RERAM_RAGGED_K),
         offsetof(Op, a));
    const std::uint64_t unit = raw ? sizeof(std::int64_t) : sizeof(float);
    if (!StreamPorts::is_stream(op_.out)) {
        need_field(op_.out % unit == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
        for (std::size_t i = 0; i < std::size(op_.out_stride); ++i)
            need_field(op_.out_stride[i] % static_cast<std::int64_t>(unit) == 0,
                       LEVEE_ERROR_ADDRESS, offsetof(Op, out_stride) + i * sizeof(std::int32_t));
    }
    need_aligned(op_.b_scale, op_.b_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, b_scale),
                 offsetof(Op, b_scale_stride));
    need_aligned(op_.bias, op_.b_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, bias),
                 offsetof(Op, b_scale_stride));
}

void StagedOperation::check_write() const
{
    need(op_.n == 0, offsetof(Op, n));
    need(op_.m0 == 1, offsetof(Op, m0));
    need(op_.k <= most_elements / (std::uint64_t{op_.outer[0]} * op_.outer[1] * op_.m1),
         offsetof(Op, k));
    const bool by_column = (op_.flags & LEVEE_RERAM_BY_COLUMN) != 0;
    need((op_.flags & ~(LEVEE_RERAM_POSTED | LEVEE_RERAM_BY_COLUMN)) == 0 &&
             !(by_column && op_.a_scale != 0),
         offsetof(Op, flags));
    need(op_.ragged == LEVEE_RERAM_RAGGED_NONE, offsetof(Op, ragged));
    need(op_.stage_count == 1, offsetof(Op, stage_count));
    need_field(op_.out_type == LEVEE_TYPE_NONE, LEVEE_ERROR_TYPE, offsetof(Op, out_type));
    need(op_.b_scale == 0, offsetof(Op, b_scale));
    need(op_.bias == 0, offsetof(Op, bias));
    need((op_.out == 0) == (op_.a_scale == 0), offsetof(Op, a_scale));
    need_field(!StreamPorts::is_stream(op_.a), LEVEE_ERROR_STREAM, offsetof(Op, a));
    need_field(!StreamPorts::is_stream(op_.out), LEVEE_ERROR_STREAM, offsetof(Op, out));
    need_aligned(op_.out, op_.out_stride, LEVEE_TYPE_FP32, offsetof(Op, out),
                 offsetof(Op, out_stride));
}

void StagedOperation::read_stages(CommandQueue& queue)
{
    stages_.resize(op_.stage_count);
    AccessPattern table;
    table.address = op_.stages;
    table.run_bytes = stages_.size() * sizeof(Stage);
    queue.read_control(table, stages_.data(), operation_field(offsetof(Op, stages)));
    for (std::size_t i = 0; i < stages_.size(); ++i)
        check_stage(i);
    check_chain();
}

void StagedOperation::check_stage(std::size_t number) const
{
    const Stage& stage = stages_[number];
    const bool last = number + 1 == stages_.size();
    const auto good = [](bool is) { need(is, offsetof(Op, stages)); };
    good(stage.reserved == 0 && stage.reserved2 == 0);
    good(stage.bits == 8 || stage.bits == 16);
    good(stage.access <= LEVEE_RERAM_ROWS_SENSED);
    good(stage.rows > 0 && stage.columns > 0 && stage.rows <= most_elements &&
         stage.columns <= most_elements);
    good(last ? stage.result_bits == 0
              : stage.result_bits == 0 || stage.result_bits == 8 || stage.result_bits == 16);
    good(stage.lines > 0 && stage.lines <= most_elements);
    const std::uint64_t units = crossbars_->units_of(place_of(stage, 0, 0));
    const std::uint64_t last_unit = stage.unit + units +
                                    std::uint64_t{stage.unit_stride[0]} * (op_.outer[0] - 1u) +
                                    std::uint64_t{stage.unit_stride[1]} * (op_.outer[1] - 1u);
    good(last_unit <= units_);
    good(lie_apart(op_, stage, units));
    const bool writes = op_.n == 0; // A write uses word lines from `drive` on, in columns from
                                    // `sense` on.
    const bool columns = writes || stage.access == LEVEE_RERAM_COLUMNS_SENSED;
    const std::uint64_t driven = std::uint64_t{stage.drive} + driven_lines(number) +
                                 std::uint64_t{stage.drive_stride} * (op_.outer[1] - 1u);
    const std::uint64_t sensed = std::uint64_t{stage.sense} + (writes ? op_.m1 : stage.lines) +
                                 std::uint64_t{stage.sense_stride} * (op_.outer[1] - 1u);
    good(driven <= (columns ? stage.rows : stage.columns));
    good(sensed <= (columns ? stage.columns : stage.rows));
}

/// Checks consecutive stages. Widths must match, and inputs must have a bounded number of bits. A
/// crossbar must not be read twice, or in both directions, at the same time.
void StagedOperation::check_chain() const
{
    if (op_.n != 0)
        need(stages_.back().lines == op_.n, offsetof(Op, n));
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        need(input_bits(i) <= most_input_bits, offsetof(Op, stages));
        for (std::size_t j = 0; j < i && (op_.flags & LEVEE_RERAM_PIPELINED) != 0; ++j) {
            need(!share_units(units_of(stages_[i]), units_of(stages_[j])), offsetof(Op, stages));
        }
    }
}

void StagedOperation::read_lengths(CommandQueue& queue)
{
    lengths_.clear();
    if (op_.lengths == 0)
        return;
    AccessPattern words;
    words.address = op_.lengths;
    words.run_bytes = sizeof(std::uint32_t);
    words.count = {1, op_.outer[0], op_.outer[1]};
    words.stride = {0, op_.lengths_stride[0], op_.lengths_stride[1]};
    lengths_.resize(words.runs());
    queue.read_control(words, lengths_.data(), operation_field(offsetof(Op, lengths)));
    const bool writes = op_.n == 0;
    for (std::uint32_t& length : lengths_) {
        const std::uint64_t value = std::uint64_t{length} + op_.length_add;
        const std::uint64_t most =
            writes ? std::uint64_t{stages_.front().columns} -
                         std::min<std::uint64_t>(op_.m1, stages_.front().columns)
                   : (op_.ragged == LEVEE_RERAM_RAGGED_K ? op_.k : op_.n);
        need((writes || value != 0) && value <= most, offsetof(Op, lengths));
        length = static_cast<std::uint32_t>(value);
    }
}

} // namespace levee::reram
