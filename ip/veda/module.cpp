// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/module.hpp"

#include "ip/veda/declaration.hpp"

#include <cstddef>
#include <utility>

namespace levee::veda {

Veda::Veda(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
           std::unique_ptr<Core> core)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      core_(core ? std::move(core) : std::make_unique<ReferenceCore>(config.arrays)),
      run_(queue, config.machine(), *core_)
{
    RegisterFile& registers = queue.register_file();
    registers.add({"ARRAYS", LEVEE_VEDA_ARRAYS, [this] { return config_.arrays.arrays; }, {}});
    registers.add({"ROWS", LEVEE_VEDA_ROWS, [this] { return config_.arrays.rows; }, {}});
    registers.add({"COLUMNS", LEVEE_VEDA_COLUMNS, [this] { return config_.arrays.columns; }, {}});
}

void Veda::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode != LEVEE_VEDA_GEMV)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const GemvRun::Cost cost = run_.prepare(descriptor, operation);
    operation.lead += config_.clock.span(cost.ahead);
    operation.job.activity.minimum = config_.clock.span(cost.cycles);
    operation.work.push_back({&mac_event, cost.macs});
    macs_ += cost.macs;
    cycles_ += cost.cycles;
    transposed_bytes_ += cost.transposed_bytes;
}

std::optional<unsigned> Veda::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(levee_veda_operation, a)))
        return 0;
    if (field == operation_field(offsetof(levee_veda_operation, b)))
        return 1;
    return std::nullopt;
}

void Veda::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("macs", macs_);
    stats.add("cycles", cycles_);
    if (config_.dataflow == Dataflow::AdderTree)
        stats.add("transposed_bytes", transposed_bytes_);
    run_.overflows().report(stats);
}

} // namespace levee::veda
