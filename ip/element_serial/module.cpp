// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/module.hpp"

#include "ip/element_serial/declaration.hpp"
#include "ip/element_serial/work.hpp"

#include <cstddef>
#include <utility>

namespace levee::element_serial {

ElementSerial::ElementSerial(const sc_core::sc_module_name& name, const Config& config,
                             Fabric fabric, std::unique_ptr<Core> core)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      core_(core ? std::move(core) : std::make_unique<ReferenceCore>(config.tile)),
      run_(queue, config.tile, *core_)
{
    queue.register_file().add({"TILE", LEVEE_ES_TILE, [this] { return config_.tile; }, {}});
}

/// Counts the pipeline's fill time as latency. In a chain of operations, these latencies add up,
/// although all operations process elements at the same time.
void ElementSerial::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode != LEVEE_ES_REDUCE && descriptor.opcode != LEVEE_ES_NORMALISE)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const SerialCost cost = run_.prepare(descriptor, operation);
    operation.job.activity.minimum = config_.clock.span(cost.cycles);
    operation.lead += config_.clock.span(cost.latency);
    count_work(descriptor.opcode, run_.operation(), cost, operation.work);
    elements_ += cost.elements;
    cycles_ += cost.cycles + cost.latency;
}

std::optional<unsigned> ElementSerial::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(levee_es_operation, x)))
        return 0;
    if (field == operation_field(offsetof(levee_es_operation, y)))
        return 1;
    return std::nullopt;
}

void ElementSerial::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("elements", elements_);
    stats.add("cycles", cycles_);
    run_.overflows().report(stats);
}

} // namespace levee::element_serial
