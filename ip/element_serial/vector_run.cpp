// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/vector_run.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"

#include <algorithm>

namespace levee::element_serial {

namespace {

using Op = levee_es_operation;

constexpr std::uint32_t field_x = operation_field(offsetof(Op, x));
constexpr std::uint32_t field_y = operation_field(offsetof(Op, y));
constexpr std::uint32_t field_statistics = operation_field(offsetof(Op, statistics));

} // namespace

SerialCost VectorRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const Op& op = serial_.op();
    serial_.read(queue_, descriptor.opcode);
    SerialCost cost = serial_.cost(tile_);
    traffic_.open(operation, cost);
    run_vectors();
    if (!queue_.timing_only())
        cost.cycles = core_.finish() - cost.latency;
    if (!serial_.is_reduce() || serial_.function() != Function::Softmax) // In a softmax, -infinity
                                                                         // is a mask.
        overflows_.count(out_);
    operation.iterations = static_cast<std::uint32_t>(serial_.groups());
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        write_groups(first, last);
    };
    if (serial_.produces()) {
        operation.stream_elements = cost.vectors * op.n;
        fill_stream(operation);
    }
    return cost;
}

View VectorRun::row_at(std::uint64_t address, const std::int32_t (&stride)[3], std::size_t group,
                       std::uint32_t row, std::uint64_t run_bytes, std::uint32_t field) const
{
    const AccessPattern rows = serial_.rows_at(address, stride, group, run_bytes);
    return {queue_, contiguous(offset_by(rows.address, stride[2], row), run_bytes), field};
}

/// Runs the vectors. A timing-only run reads only the inputs in memories that track
/// accesses.
void VectorRun::run_vectors()
{
    const Op& op = serial_.op();
    const std::size_t vectors = serial_.vectors();
    const auto reads = [this](std::uint64_t address) {
        return address != 0 && !StreamPorts::is_stream(address) &&
               makes_access(queue_, Direction::Read, address);
    };
    out_.assign(queue_.timing_only() ? 0 : vectors * op.n, 0);
    statistics_.resize(queue_.timing_only() ? 0 : vectors);
    if (out_.empty() && !reads(op.x) && !reads(op.y) &&
        (serial_.is_reduce() || !reads(op.statistics)))
        return;
    if (!out_.empty() && serial_.is_reduce())
        core_.begin(Reduction{serial_.function(), op.param});
    else if (!out_.empty())
        core_.begin(Normalisation{serial_.function(), op.param});
    for (std::size_t group = 0; group < serial_.groups(); ++group)
        for (std::uint32_t row = 0; row < op.rows; ++row)
            serial_.is_reduce() ? run_reduce(group, row) : run_normalise(group, row);
}

void VectorRun::run_reduce(std::size_t group, std::uint32_t row)
{
    const Op& op = serial_.op();
    const std::size_t vector = serial_.vector_of(group, row);
    Incoming incoming;
    incoming.x = read_x(group, row);
    if (op.y != 0) {
        read_halves(op.y, op.y_stride, group, row, y_, field_y);
        incoming.y = y_;
    }
    if (out_.empty())
        return;
    incoming.v =
        std::span(out_).subspan(vector * op.n + serial_.seen(group, row).first, incoming.x.size());
    incoming.statistics = &statistics_[vector];
    core_.run(incoming);
}

/// Returns a row of REDUCE's x in FP32; empty in timing-only runs.
std::span<const float> VectorRun::read_x(std::size_t group, std::uint32_t row)
{
    const Op& op = serial_.op();
    const auto [first, count] = serial_.seen(group, row);
    if (StreamPorts::is_stream(op.x))
        return traffic_.arrived().empty()
                   ? traffic_.arrived()
                   : traffic_.arrived().subspan(serial_.vector_of(group, row) * op.n + first,
                                                count);
    if (op.x_type == LEVEE_TYPE_FP32) {
        row_at(op.x + first * sizeof(float), op.x_stride, group, row, count * sizeof(float),
               field_x)
            .read(x_);
        return x_;
    }
    read_halves(op.x, op.x_stride, group, row, halves_, field_x);
    x_.resize(halves_.size());
    std::transform(halves_.begin(), halves_.end(), x_.begin(), fp16_to_fp32);
    return x_;
}

void VectorRun::read_halves(std::uint64_t address, const std::int32_t (&stride)[3],
                            std::size_t group, std::uint32_t row, std::vector<std::uint16_t>& into,
                            std::uint32_t field)
{
    constexpr std::uint64_t half = sizeof(std::uint16_t);
    const auto [first, count] = serial_.seen(group, row);
    row_at(address + first * half, stride, group, row, count * half, field).read(into);
}

void VectorRun::run_normalise(std::size_t group, std::uint32_t row)
{
    const Op& op = serial_.op();
    const std::size_t vector = serial_.vector_of(group, row);
    std::vector<Statistics> statistics;
    row_at(op.statistics, op.statistics_stride, group, row, sizeof(Statistics), field_statistics)
        .read(statistics);
    read_halves(op.x, op.x_stride, group, row, halves_, field_x);
    if (out_.empty())
        return;
    Outgoing outgoing;
    outgoing.statistics = statistics.front();
    outgoing.v = halves_;
    outgoing.gain = traffic_.gain();
    outgoing.bias = traffic_.bias();
    outgoing.out =
        std::span(out_).subspan(vector * op.n + serial_.seen(group, row).first, halves_.size());
    core_.run(outgoing);
}

void VectorRun::fill_stream(Operation& operation) const
{
    operation.stream.resize(out_.size());
    std::transform(out_.begin(), out_.end(), operation.stream.begin(), fp16_to_fp32);
}

void VectorRun::write_groups(std::uint32_t first, std::uint32_t last)
{
    const Op& op = serial_.op();
    const bool has_out = op.out != 0 && !StreamPorts::is_stream(op.out) &&
                         makes_access(queue_, Direction::Write, op.out);
    const bool has_statistics =
        serial_.is_reduce() && makes_access(queue_, Direction::Write, op.statistics);
    for (std::uint32_t i = first; i < last && (has_out || has_statistics); ++i) {
        const std::size_t vector = serial_.vector_of(i, 0);
        if (has_out)
            View{queue_, serial_.rows_at(op.out, op.out_stride, i, bytes_of(op.n, LEVEE_TYPE_FP16)),
                 operation_field(offsetof(Op, out))}
                .write(out_, vector * op.n);
        if (has_statistics)
            View{queue_,
                 serial_.rows_at(op.statistics, op.statistics_stride, i, sizeof(Statistics)),
                 field_statistics}
                .write(statistics_, vector);
    }
}

} // namespace levee::element_serial
