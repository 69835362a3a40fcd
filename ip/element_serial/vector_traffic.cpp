// SPDX-License-Identifier: Apache-2.0
// An operation's traffic: the streams it opens.
#include "core/command/tensor_rows.hpp"
#include "core/memory/loop_nest.hpp"
#include "ip/element_serial/vector_run.hpp"

namespace levee::element_serial {

namespace {

using Op = levee_es_operation;

constexpr std::uint64_t half = sizeof(std::uint16_t);

} // namespace

void VectorRun::open(Operation& operation, const Cost& cost)
{
    open_input(operation, cost);
    if (op_.y != 0)
        open_rows(operation, Direction::Read, op_.y, op_.y_stride, longest() * half,
                  cost.elements * half, operation_field(offsetof(Op, y)));
    open_rows(operation, is_reduce() ? Direction::Write : Direction::Read, op_.statistics,
              op_.statistics_stride, sizeof(Statistics), cost.vectors * sizeof(Statistics),
              operation_field(offsetof(Op, statistics)));
    open_shared(operation, op_.gain, gain_, operation_field(offsetof(Op, gain)));
    open_shared(operation, op_.bias, bias_, operation_field(offsetof(Op, bias)));
    open_outputs(operation);
}

/// Opens one stream for all rows, with the longest of ragged ones as what must lie in memory;
/// `bytes` are those that move.
void VectorRun::open_rows(Operation& operation, Direction direction, std::uint64_t address,
                          const std::int32_t (&stride)[3], std::uint64_t run_bytes,
                          std::uint64_t bytes, std::uint32_t field)
{
    const auto patterns =
        patterns_of(address, run_bytes,
                    {{op_.outer[0], stride[0]}, {op_.outer[1], stride[1]}, {op_.rows, stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size(), field);
}

void VectorRun::open_input(Operation& operation, const Cost& cost)
{
    constexpr std::uint32_t field = operation_field(offsetof(Op, x));
    if (!StreamPorts::is_stream(op_.x)) {
        open_rows(operation, Direction::Read, op_.x, op_.x_stride, bytes_of(longest(), op_.x_type),
                  bytes_of(cost.elements, op_.x_type), field);
        return;
    }
    StreamPort* const port = queue_.streams().find(op_.x);
    if (port == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field};
    const Operation& producer = queue_.accept(*port);
    if (producer.streamed() != cost.vectors * op_.n)
        throw CommandFault{LEVEE_ERROR_STREAM, field};
    stream_ = producer.stream;
}

/// Gain and bias pass for every vector: the unit keeps none of them.
void VectorRun::open_shared(Operation& operation, std::uint64_t address, std::vector<float>& into,
                            std::uint32_t field)
{
    into.clear();
    if (address == 0)
        return;
    const AccessPattern pattern = contiguous(address, op_.n * sizeof(float));
    queue_.add_stream(operation, Direction::Read, pattern,
                      pattern.bytes() * vector_of(group_count(), 0), field);
    View{queue_, pattern, field}.read(into);
}

void VectorRun::open_outputs(Operation& operation)
{
    constexpr std::uint32_t field = operation_field(offsetof(Op, out));
    if (StreamPorts::is_stream(op_.out)) {
        queue_.produce(operation, op_.out, field);
        return;
    }
    if (op_.out != 0)
        open_rows(operation, Direction::Write, op_.out, op_.out_stride, op_.n * half,
                  vector_of(group_count(), 0) * op_.n * half, field);
    if (op_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(op_.tap - 1), operation_field(offsetof(Op, tap)));
}

} // namespace levee::element_serial
