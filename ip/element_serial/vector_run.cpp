// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/vector_run.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/numerics/numerics.hpp"
#include "core/units/clock.hpp"
#include "ip/element_serial/checks.hpp"

#include <algorithm>
#include <cstring>

namespace levee::element_serial {

namespace {

using Op = levee_es_operation;

constexpr std::uint32_t field_x = operation_field(offsetof(Op, x));
constexpr std::uint32_t field_y = operation_field(offsetof(Op, y));
constexpr std::uint32_t field_statistics = operation_field(offsetof(Op, statistics));

} // namespace

VectorRun::Cost VectorRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, queue_.operation().data(), sizeof op_);
    check(opcode_, op_);
    read_lengths();
    Cost cost = count();
    open(operation, cost);
    run_vectors();
    if (!queue_.timing_only())
        cost.cycles = core_.finish() - cost.latency;
    if (!is_reduce() || function() != Function::Softmax) // there -infinity masks
        overflows_.count(out_);
    operation.iterations = static_cast<std::uint32_t>(group_count());
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        write_groups(first, last);
    };
    if (produces()) {
        operation.stream_elements = cost.vectors * op_.n;
        fill_stream(operation);
    }
    return cost;
}

/// One length for each (o0, o1 / group).
void VectorRun::read_lengths()
{
    lengths_.clear();
    length_words_ = 0;
    if (op_.lengths != 0) {
        length_words_ = (op_.outer[1] - 1u) / op_.group + 1;
        AccessPattern pattern = contiguous(op_.lengths, sizeof(std::uint32_t));
        pattern.count = {1, op_.outer[0], length_words_};
        pattern.stride = {0, op_.lengths_stride[0], op_.lengths_stride[1]};
        lengths_.resize(std::size_t{op_.outer[0]} * length_words_);
        queue_.read_control(pattern, lengths_.data(), operation_field(offsetof(Op, lengths)));
    }
    for (std::uint32_t& word : lengths_) {
        const std::uint64_t actual = std::uint64_t{word} + op_.length_add;
        need_field(actual > 0 && actual <= op_.n, LEVEE_ERROR_FIELD, offsetof(Op, lengths));
        word = static_cast<std::uint32_t>(actual);
    }
    // The first row of a causal block sees at least one element.
    const auto least = std::min_element(lengths_.begin(), lengths_.end());
    need_field(!is_causal() || (least == lengths_.end() ? op_.n : *least) >= op_.rows,
               LEVEE_ERROR_FIELD, offsetof(Op, rows));
}

/// The timing rule, and what it counts; a group at a time, whatever its rows.
VectorRun::Cost VectorRun::count() const
{
    Cost cost;
    if (lengths_.empty()) {
        if (is_causal())
            for (std::size_t i = 0; i < group_count(); ++i)
                count_group(cost, op_.n - op_.rows + 1, 1);
        else
            count_group(cost, op_.n, group_count());
    }
    for (std::size_t i = 0; i < group_count() && !lengths_.empty(); ++i)
        count_group(cost, is_causal() ? length(i) - op_.rows + 1 : length(i), 1);
    const std::uint64_t last = length(group_count() - 1);
    const Pace pace = is_reduce() ? reduce_pace(function(), tile_) : normalise_pace(function());
    cost.cycles = cost.cycles - pace.cycles(last) + last;
    cost.latency = is_reduce() ? reduce_fill(function(), tile_)
                               : set_up(function()) + normalise_fill(function());
    return cost;
}

/// `groups` groups of equal lengths; causal rows grow from `first`.
void VectorRun::count_group(Cost& cost, std::uint64_t first, std::uint64_t groups) const
{
    const Pace pace = is_reduce() ? reduce_pace(function(), tile_) : normalise_pace(function());
    const std::uint64_t rows = op_.rows;
    cost.vectors += groups * rows;
    if (!is_causal()) {
        cost.cycles += groups * rows * pace.cycles(first);
        cost.elements += groups * rows * first;
        cost.tiles += groups * rows * divide_up(first, tile_);
        return;
    }
    cost.cycles += groups * pace.cycles_of_growing(first, rows);
    cost.elements += groups * Pace{}.cycles_of_growing(first, rows);
    cost.tiles += groups * tiles_of_growing(first, rows, tile_);
}

bool VectorRun::produces() const
{
    return op_.tap != 0 || StreamPorts::is_stream(op_.out);
}

std::uint32_t VectorRun::length(std::size_t group) const
{
    if (lengths_.empty())
        return op_.n;
    const std::size_t o0 = group / op_.outer[1], o1 = group % op_.outer[1];
    return lengths_[o0 * length_words_ + o1 / op_.group];
}

std::uint32_t VectorRun::row_length(std::size_t group, std::uint32_t row) const
{
    return is_causal() ? length(group) - op_.rows + 1 + row : length(group);
}

std::uint32_t VectorRun::longest() const
{
    return lengths_.empty() ? op_.n : *std::max_element(lengths_.begin(), lengths_.end());
}

AccessPattern VectorRun::rows_at(std::uint64_t address, const std::int32_t (&stride)[3],
                                 std::size_t group, std::uint64_t run_bytes) const
{
    return rows_of(address, stride, static_cast<std::uint32_t>(group / op_.outer[1]),
                   static_cast<std::uint32_t>(group % op_.outer[1]), op_.rows, run_bytes);
}

View VectorRun::row_at(std::uint64_t address, const std::int32_t (&stride)[3], std::size_t group,
                       std::uint32_t row, std::uint64_t run_bytes, std::uint32_t field) const
{
    const AccessPattern rows = rows_at(address, stride, group, run_bytes);
    return {queue_, contiguous(offset_by(rows.address, stride[2], row), run_bytes), field};
}

/// Without payload, reads the inputs that memories take notice of.
void VectorRun::run_vectors()
{
    const std::size_t vectors = vector_of(group_count(), 0);
    const auto reads = [this](std::uint64_t address) {
        return address != 0 && !StreamPorts::is_stream(address) &&
               makes_access(queue_, Direction::Read, address);
    };
    out_.assign(queue_.timing_only() ? 0 : vectors * op_.n, 0);
    statistics_.resize(queue_.timing_only() ? 0 : vectors);
    if (out_.empty() && !reads(op_.x) && !reads(op_.y) && (is_reduce() || !reads(op_.statistics)))
        return;
    if (!out_.empty() && is_reduce())
        core_.begin(Reduction{function(), op_.param});
    else if (!out_.empty())
        core_.begin(Normalisation{function(), op_.param});
    for (std::size_t group = 0; group < group_count(); ++group)
        for (std::uint32_t row = 0; row < op_.rows; ++row)
            is_reduce() ? run_reduce(group, row) : run_normalise(group, row);
}

void VectorRun::run_reduce(std::size_t group, std::uint32_t row)
{
    const std::size_t vector = vector_of(group, row);
    Incoming incoming;
    incoming.x = read_x(group, row);
    if (op_.y != 0) {
        read_halves(op_.y, op_.y_stride, group, row, y_, field_y);
        incoming.y = y_;
    }
    if (out_.empty())
        return;
    incoming.v = std::span(out_).subspan(vector * op_.n, incoming.x.size());
    incoming.statistics = &statistics_[vector];
    core_.run(incoming);
}

/// A row of REDUCE's x, as FP32; none without payload.
std::span<const float> VectorRun::read_x(std::size_t group, std::uint32_t row)
{
    const std::uint32_t length = row_length(group, row);
    if (StreamPorts::is_stream(op_.x))
        return stream_.empty() ? stream_ : stream_.subspan(vector_of(group, row) * op_.n, length);
    if (op_.x_type == LEVEE_TYPE_FP32) {
        row_at(op_.x, op_.x_stride, group, row, length * sizeof(float), field_x).read(x_);
        return x_;
    }
    read_halves(op_.x, op_.x_stride, group, row, halves_, field_x);
    x_.resize(halves_.size());
    std::transform(halves_.begin(), halves_.end(), x_.begin(), fp16_to_fp32);
    return x_;
}

void VectorRun::read_halves(std::uint64_t address, const std::int32_t (&stride)[3],
                            std::size_t group, std::uint32_t row, std::vector<std::uint16_t>& into,
                            std::uint32_t field)
{
    const std::uint64_t bytes = row_length(group, row) * sizeof(std::uint16_t);
    row_at(address, stride, group, row, bytes, field).read(into);
}

void VectorRun::run_normalise(std::size_t group, std::uint32_t row)
{
    const std::size_t vector = vector_of(group, row);
    std::vector<Statistics> statistics;
    row_at(op_.statistics, op_.statistics_stride, group, row, sizeof(Statistics), field_statistics)
        .read(statistics);
    read_halves(op_.x, op_.x_stride, group, row, halves_, field_x);
    if (out_.empty())
        return;
    Outgoing outgoing;
    outgoing.statistics = statistics.front();
    outgoing.v = halves_;
    outgoing.gain = gain_;
    outgoing.bias = bias_;
    outgoing.out = std::span(out_).subspan(vector * op_.n, halves_.size());
    core_.run(outgoing);
}

void VectorRun::fill_stream(Operation& operation) const
{
    operation.stream.resize(out_.size());
    std::transform(out_.begin(), out_.end(), operation.stream.begin(), fp16_to_fp32);
}

void VectorRun::write_groups(std::uint32_t first, std::uint32_t last)
{
    const bool has_out = op_.out != 0 && !StreamPorts::is_stream(op_.out) &&
                         makes_access(queue_, Direction::Write, op_.out);
    const bool has_statistics =
        is_reduce() && makes_access(queue_, Direction::Write, op_.statistics);
    for (std::uint32_t i = first; i < last && (has_out || has_statistics); ++i) {
        const std::size_t vector = vector_of(i, 0);
        if (has_out)
            View{queue_, rows_at(op_.out, op_.out_stride, i, bytes_of(op_.n, LEVEE_TYPE_FP16)),
                 operation_field(offsetof(Op, out))}
                .write(out_, vector * op_.n);
        if (has_statistics)
            View{queue_, rows_at(op_.statistics, op_.statistics_stride, i, sizeof(Statistics)),
                 field_statistics}
                .write(statistics_, vector);
    }
}

} // namespace levee::element_serial
