// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/vector_traffic.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/memory/loop_nest.hpp"
#include "core/numerics/tensor.hpp"

namespace levee::element_serial {

namespace {

using Op = levee_es_operation;

constexpr std::uint64_t half = sizeof(std::uint16_t);

} // namespace

void VectorTraffic::open(Operation& operation, const SerialCost& cost)
{
    const Op& op = serial_.op();
    open_input(operation, cost);
    if (op.y != 0)
        open_rows(operation, Direction::Read, op.y, op.y_stride, serial_.longest() * half,
                  cost.elements * half, operation_field(offsetof(Op, y)));
    open_rows(operation, serial_.is_reduce() ? Direction::Write : Direction::Read, op.statistics,
              op.statistics_stride, sizeof(Statistics), cost.vectors * sizeof(Statistics),
              operation_field(offsetof(Op, statistics)));
    open_shared(operation, op.gain, gain_, operation_field(offsetof(Op, gain)));
    open_shared(operation, op.bias, bias_, operation_field(offsetof(Op, bias)));
    open_outputs(operation);
}

/// Opens one stream for all rows. The longest row determines the address range that is checked;
/// `bytes` is the number of bytes that are transferred.
void VectorTraffic::open_rows(Operation& operation, Direction direction, std::uint64_t address,
                              const std::int32_t (&stride)[3], std::uint64_t run_bytes,
                              std::uint64_t bytes, std::uint32_t field)
{
    const Op& op = serial_.op();
    const auto patterns =
        patterns_of(address, run_bytes,
                    {{op.outer[0], stride[0]}, {op.outer[1], stride[1]}, {op.rows, stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size(), field);
}

void VectorTraffic::open_input(Operation& operation, const SerialCost& cost)
{
    const Op& op = serial_.op();
    constexpr std::uint32_t field = operation_field(offsetof(Op, x));
    if (!StreamPorts::is_stream(op.x)) {
        open_rows(operation, Direction::Read, op.x, op.x_stride,
                  bytes_of(serial_.longest(), op.x_type), bytes_of(cost.elements, op.x_type),
                  field);
        return;
    }
    StreamPort* const port = queue_.streams().find(op.x);
    if (port == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field};
    const Operation& producer = queue_.accept(*port);
    if (producer.streamed() != cost.vectors * op.n)
        throw CommandFault{LEVEE_ERROR_STREAM, field};
    arrived_ = producer.stream;
}

/// Opens the streams of gain and bias, which are read again for every vector, because the unit does
/// not store them.
void VectorTraffic::open_shared(Operation& operation, std::uint64_t address,
                                std::vector<float>& into, std::uint32_t field)
{
    const Op& op = serial_.op();
    into.clear();
    if (address == 0)
        return;
    const AccessPattern pattern = contiguous(address, op.n * sizeof(float));
    queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes() * serial_.vectors(),
                      field);
    View{queue_, pattern, field}.read(into);
}

void VectorTraffic::open_outputs(Operation& operation)
{
    const Op& op = serial_.op();
    constexpr std::uint32_t field = operation_field(offsetof(Op, out));
    if (StreamPorts::is_stream(op.out)) {
        queue_.produce(operation, op.out, field);
        return;
    }
    if (op.out != 0)
        open_rows(operation, Direction::Write, op.out, op.out_stride, op.n * half,
                  serial_.vectors() * op.n * half, field);
    if (op.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(op.tap - 1), operation_field(offsetof(Op, tap)));
}

} // namespace levee::element_serial
