// SPDX-License-Identifier: Apache-2.0
#include "test/component/module.hpp"

#include <algorithm>

namespace levee::tally {

using Op = levee_tally_operation;

Tally::Tally(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : StorageModule(name, config.size_bytes, {}),
      FlowResource({FlowAccount::Kind::Storage, this->name()}),
      queue("queue", config.queue, declaration, *this, fabric), config_(config)
{
    RegisterFile& registers = queue.register_file();
    registers.add({"WEIGHTS", LEVEE_TALLY_WEIGHTS, [] { return LEVEE_TALLY_MOST_WEIGHTS; }, {}});
    registers.add({"SCRUBBED",
                   LEVEE_TALLY_SCRUBBED,
                   [this] { return static_cast<std::uint32_t>(scrubbed_rows()); },
                   {}});
}

void Tally::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode != LEVEE_TALLY_WEIGH)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    Op op;
    std::memcpy(&op, queue.operation().data(), sizeof op);
    need_field(op.count >= 1 && op.count <= LEVEE_TALLY_MOST_WEIGHTS, LEVEE_ERROR_FIELD,
               offsetof(Op, count));
    for (std::size_t i = op.count; i < LEVEE_TALLY_MOST_WEIGHTS; ++i)
        need_field(op.weights[i] == 0, LEVEE_ERROR_FIELD, offsetof(Op, weights) + 4 * i);
    const std::uint64_t bytes = op.count * sizeof(std::int32_t);
    need_field(op.offset % sizeof(std::int32_t) == 0 && storage().holds(op.offset, bytes),
               LEVEE_ERROR_ADDRESS, offsetof(Op, offset));
    AccessPattern values, result;
    values.address = op.offset;
    values.run_bytes = bytes;
    result.address = op.to;
    result.run_bytes = sizeof(std::int32_t);
    // The component reads its own rows without the bus.
    operation.job.activity.uses.push_back(FlowUse{this, Direction::Read, values, bytes});
    queue.add_stream(operation, Direction::Write, result, result.run_bytes,
                     operation_field(offsetof(Op, to)));
    std::int32_t stored[LEVEE_TALLY_MOST_WEIGHTS], sum = 0;
    std::memcpy(stored, storage().data() + op.offset, bytes);
    for (std::size_t i = 0; i < op.count; ++i)
        sum += op.weights[i] * stored[i];
    operation.job.activity.minimum = config_.clock.span(op.count);
    operation.work.push_back({&mac_event, op.count});
    operation.commit = [this, result, sum](std::uint32_t, std::uint32_t) {
        queue.write(result, queue.timing_only() ? nullptr : &sum);
    };
    weighed_ += op.count;
    const Picoseconds cycle = config_.clock.span(1);
    for (std::uint32_t i = 0; inside_ && i < op.count; ++i)
        inside_({0, "value", now_ps() + i * cycle, now_ps() + (i + 1) * cycle, {}, {i}});
}

InnerSpans Tally::inside()
{
    return {{"scale"}, [this](InnerSpanSink sink) { inside_ = std::move(sink); }};
}

void Tally::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                  std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(),
                1e12 / static_cast<double>(config_.bytes_per_second));
}

void Tally::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("weighed", weighed_);
    stats.add("scrubbed_rows", scrubbed_rows());
}

} // namespace levee::tally
