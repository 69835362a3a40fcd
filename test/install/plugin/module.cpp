// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include "core/command/view.hpp"

#include <cstring>
#include <vector>

namespace argmax {

using namespace levee;
using Op = argmax_operation;

namespace {

argmax_result greatest(const std::vector<float>& values)
{
    argmax_result best{0, values[0]};
    for (std::uint32_t i = 1; i < values.size(); ++i)
        if (values[i] > best.value)
            best = {i, values[i]};
    return best;
}

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
    View elements{queue, {}, operation_field(offsetof(Op, from))};
    View result{queue, {}, operation_field(offsetof(Op, to))};
    elements.pattern.address = op.from;
    elements.pattern.run_bytes = std::uint64_t{op.count} * sizeof(float);
    result.pattern.address = op.to;
    result.pattern.run_bytes = sizeof(argmax_result);
    elements.open(operation, Direction::Read);
    result.open(operation, Direction::Write);
    operation.job.activity.minimum = config_.clock.span(divide_up(op.count, config_.lanes));
    operation.work.push_back({&compare_event, op.count});
    std::vector<float> values; // Empty in a timing-only run, which makes the same accesses.
    std::vector<argmax_result> found;
    if (elements.read(values))
        found.push_back(greatest(values));
    operation.commit = [result, found](std::uint32_t, std::uint32_t) { result.write(found); };
    compared_ += op.count;
}

void Argmax::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("compared", compared_);
}

} // namespace argmax
