// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"
#include "core/command/declaration.hpp"
#include "core/flow/flow.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

class CommandQueue;

/// Energy event of an operation other than moving data through memories and links.
struct CountedEvent {
    const EnergyEvent* event; ///< Name, from the component's declaration.
    std::uint64_t count = 0;
};

/// Observer of a queue's descriptors; each hook is called at the simulated time of its event. `id`
/// counts the descriptors ever submitted to the queue, from 0; the queue executes them in this
/// order.
class CommandObserver {
public:
    virtual ~CommandObserver() = default;
    /// Submitted by the doorbell. `waiting` is the number of descriptors in the queue, including
    /// this one.
    virtual void submitted(const CommandQueue&, std::uint64_t /*id*/, std::uint32_t /*waiting*/) {}
    /// Removed from the queue for execution, but possibly not fetched yet.
    virtual void taken(const CommandQueue&, std::uint64_t /*id*/, std::uint32_t /*waiting*/) {}
    virtual void fetched(const CommandQueue&, const levee_descriptor&) {}
    /// All counters have reached their values; no operand has been read yet.
    virtual void ready(const CommandQueue&, const levee_descriptor&) {}
    /// All waits are satisfied, including those for other blocks' streams, and execution begins.
    /// The descriptor has its indirect operands applied. The activity then runs. If the output goes
    /// into a stream port, `streams` is set and the activity runs as part of the consumer's.
    virtual void started(const CommandQueue&, const levee_descriptor&, const Activity&,
                         bool /*streams*/)
    {
    }
    /// Called just before started(), with the energy events of the operation, whether or not they
    /// take time in this run. `uses` are its own streams, not those of a producer that feeds it.
    virtual void costs(const CommandQueue&, const levee_descriptor&,
                       std::span<const FlowUse> /*uses*/, std::span<const CountedEvent> /*work*/)
    {
    }
    /// The operation in execution has incremented a counter.
    virtual void signalled(const CommandQueue&, std::uint32_t /*counter*/) {}
    /// The operation has completed, has been refused (`error` not LEVEE_ERROR_NONE) or was dropped
    /// by a reset (`dropped`).
    virtual void finished(const CommandQueue&, std::uint32_t /*error*/, bool /*dropped*/) {}
    /// A doorbell for `count` descriptors was refused: the queue had space for `room`.
    virtual void overflowed(const CommandQueue&, std::uint32_t /*count*/, std::uint32_t /*room*/) {}
    /// A reset emptied the queue; the operation in execution still ends with finished().
    virtual void emptied(const CommandQueue&) {}
};

/// The observers of one queue.
class CommandObservers {
public:
    explicit CommandObservers(const CommandQueue& queue) : queue_(queue) {}
    void add(CommandObserver& observer) { observers_.push_back(&observer); }

    template <typename... Parameters, typename... Arguments>
    void notify(void (CommandObserver::*event)(const CommandQueue&, Parameters...),
                const Arguments&... arguments) const
    {
        for (CommandObserver* observer : observers_)
            (observer->*event)(queue_, arguments...);
    }

private:
    const CommandQueue& queue_;
    std::vector<CommandObserver*> observers_;
};

} // namespace levee
