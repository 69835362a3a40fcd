// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/module.hpp"

#include "ip/systolic_evictor/declaration.hpp"

#include <cstddef>
#include <utility>

namespace levee::systolic_evictor {

SystolicEvictor::SystolicEvictor(const sc_core::sc_module_name& name, const Config& config,
                                 Fabric fabric, std::unique_ptr<Engine> engine)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      engine_(std::move(engine)), run_(queue, engine_.get(), config.rows, config.ties)
{
    queue.register_file().add({"ROWS", LEVEE_SE_ROWS, [this] { return config_.rows; }, {}});
}

void SystolicEvictor::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const kv_tables::OperationSize size = run_.prepare(descriptor, operation);
    std::uint64_t cycles = divide_up(size.steps, config_.scores_per_cycle);
    if (engine_ && descriptor.opcode <= LEVEE_SE_EVICT)
        cycles = engine_->take_cycles(cycles);
    operation.job.activity.minimum = config_.clock.span(cycles);
    // The victim's slot is valid one cycle after the last score. While a producer computes scores,
    // the registers are preloaded, which hides the latency of the tables.
    if (run_.takes_stream())
        operation.lead = 0;
    operation.lead += config_.clock.span(1);
    operation.work.push_back({&score_event, size.scores});
    operation.work.push_back({&compare_event, size.compared});
    if (size.positions_compared != 0)
        operation.work.push_back({&position_event, size.positions_compared});
    scores_ += size.scores;
    evicted_ += size.evicted;
    cycles_ += cycles + 1;
}

std::optional<unsigned> SystolicEvictor::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(levee_se_operation, scores)))
        return 0;
    return std::nullopt;
}

void SystolicEvictor::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("scores", scores_);
    stats.add("evicted", evicted_);
    stats.add("cycles", cycles_);
}

} // namespace levee::systolic_evictor
