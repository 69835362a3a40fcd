// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/module.hpp"

#include "ip/voting_engine/declaration.hpp"

#include <cstddef>
#include <utility>

namespace levee::voting_engine {

VotingEngine::VotingEngine(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
                           std::unique_ptr<Engine> engine)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      engine_(std::move(engine)), run_(queue, config.capacity, engine_.get())
{
    queue.register_file().add(
        {"CAPACITY", LEVEE_VE_CAPACITY, [this] { return config_.capacity; }, {}});
}

void VotingEngine::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const OperationRun::Size size = run_.prepare(descriptor, operation);
    operation.job.activity.minimum = config_.clock.span(size.cycles);
    // Votes are loaded while the producer computes, which hides the latency of the tables.
    if (run_.takes_stream())
        operation.lead = 0;
    operation.work.push_back({&element_event, size.elements});
    operation.work.push_back({&compare_event, size.compared});
    elements_ += size.elements;
    vectors_ += size.vectors;
    elected_ += size.elected;
    cycles_ += size.cycles;
}

std::optional<unsigned> VotingEngine::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(levee_ve_operation, probabilities)))
        return 0;
    return std::nullopt;
}

void VotingEngine::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("vectors", vectors_);
    stats.add("elements", elements_);
    stats.add("elected", elected_);
    stats.add("cycles", cycles_);
}

} // namespace levee::voting_engine
