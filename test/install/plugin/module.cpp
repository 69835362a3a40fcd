// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <cstring>
#include <vector>

namespace argmax {

using namespace levee;
using Op = argmax_operation;

namespace {

constexpr std::uint32_t from_field = operation_field(offsetof(Op, from));
constexpr std::uint32_t to_field = operation_field(offsetof(Op, to));

} // namespace

Argmax::Argmax(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config)
{
    queue.register_file().add({"LANES", ARGMAX_LANES, [this] { return config_.lanes; }, {}});
}

void Argmax::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode != ARGMAX_FIND)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    Op op;
    std::memcpy(&op, queue.operation().data(), sizeof op);
    need_field(op.count != 0, LEVEE_ERROR_FIELD, offsetof(Op, count));
    need_field(op.reserved == 0, LEVEE_ERROR_FIELD, offsetof(Op, reserved));
    AccessPattern elements, result;
    elements.address = op.from;
    elements.run_bytes = std::uint64_t{op.count} * sizeof(float);
    result.address = op.to;
    result.run_bytes = sizeof(argmax_result);
    queue.add_stream(operation, Direction::Read, elements, elements.run_bytes, from_field);
    queue.add_stream(operation, Direction::Write, result, result.run_bytes, to_field);
    operation.job.activity.minimum = config_.clock.span(divide_up(op.count, config_.lanes));
    operation.work.push_back({&compare_event, op.count});
    if (queue.timing_only()) { // the same accesses, without bytes
        queue.read(elements, nullptr, from_field);
        operation.commit = [this, result](std::uint32_t, std::uint32_t) {
            queue.write(result, nullptr);
        };
    } else {
        operation.commit = [this, result, found = find(elements)](std::uint32_t, std::uint32_t) {
            queue.write(result, &found);
        };
    }
    compared_ += op.count;
}

argmax_result Argmax::find(const AccessPattern& elements)
{
    std::vector<float> values(elements.run_bytes / sizeof(float));
    queue.read(elements, values.data(), from_field);
    argmax_result best{0, values[0]};
    for (std::uint32_t i = 1; i < values.size(); ++i)
        if (values[i] > best.value)
            best = {i, values[i]};
    return best;
}

void Argmax::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("compared", compared_);
}

} // namespace argmax
