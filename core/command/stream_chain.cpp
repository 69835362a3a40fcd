// SPDX-License-Identifier: Apache-2.0
#include "core/command/stream_chain.hpp"

#include <algorithm>

namespace levee {

void StreamChain::produce(Operation& operation, std::uint64_t address, std::uint32_t field)
{
    operation.produces = ports_.find(address);
    operation.produces_field = field;
    if (operation.produces == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field};
}

Operation& StreamChain::accept(StreamPort& port)
{
    Operation* offered = port.accept();
    for (; offered == nullptr; offered = port.accept())
        submissions_.wait(port.changed());
    return *(upstream_ = offered);
}

void StreamChain::join_upstream(Operation& operation) const
{
    if (upstream_ == nullptr)
        return;
    Activity& own = operation.job.activity;
    const Activity& before = upstream_->job.activity;
    own.uses.insert(own.uses.end(), before.uses.begin(), before.uses.end());
    own.loads = before.minimum > own.minimum ? before.loads : own.loads;
    own.minimum = std::max(own.minimum, before.minimum);
    operation.lead += upstream_->lead;
}

/// Offers the operation and waits for its consumer. A reset withdraws an offer, but an operation
/// that is already accepted runs to its end.
void StreamChain::run_as_producer(Operation& operation)
{
    StreamPort& port = *operation.produces;
    const std::uint64_t bytes = timing_.work ? operation.streamed_bytes() : 0;
    operation.job.activity.uses.push_back(FlowUse{&port, Direction::Write, {}, bytes});
    operation.lead += timing_.latency ? port.config().fill : 0;
    while (!port.offer(operation))
        submissions_.wait(port.changed());
    while (operation.chain == Operation::Chain::Open) {
        submissions_.pause(operation.chain_ended);
        if (submissions_.was_reset() && port.withdraw(operation))
            throw Submissions::Dropped{};
    }
    if (operation.chain == Operation::Chain::Broken)
        throw CommandFault{LEVEE_ERROR_STREAM, operation.produces_field};
}

void StreamChain::end_chain(Operation::Chain how)
{
    if (upstream_ == nullptr)
        return;
    upstream_->chain = how;
    upstream_->chain_ended.notify(sc_core::SC_ZERO_TIME);
}

} // namespace levee
