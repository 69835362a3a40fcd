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

/// Energy event of an operation. Data movement through memories and links is not included.
struct CountedEvent {
    const EnergyEvent* event; ///< Name, from the component's declaration.
    std::uint64_t count = 0;
};

/// Observer of a queue's descriptors. Each function is called at the simulated time of its event.
/// `id` counts the descriptors submitted to the queue, from 0; the queue executes them in this
/// order.
class CommandObserver {
public:
    virtual ~CommandObserver() = default;
    /// The doorbell submitted a descriptor. `waiting` is the number of descriptors in the queue,
    /// including this one.
    virtual void submitted(const CommandQueue&, std::uint64_t /*id*/, std::uint32_t /*waiting*/) {}
    /// The queue took a descriptor for execution. The descriptor might not be fetched yet.
    virtual void taken(const CommandQueue&, std::uint64_t /*id*/, std::uint32_t /*waiting*/) {}
    virtual void fetched(const CommandQueue&, const levee_descriptor&) {}
    /// All counters have reached their values. No operand has been read yet.
    virtual void ready(const CommandQueue&, const levee_descriptor&) {}
    /// Execution begins. All waits are over, including those for other blocks' streams, and
    /// indirect operands of the descriptor are resolved. `streams`: the output goes to a stream
    /// port, so the consumer's activity includes this one.
    virtual void started(const CommandQueue&, const levee_descriptor&, const Activity&,
                         bool /*streams*/)
    {
    }
    /// Called just before started(), with the energy events of the operation. They are complete
    /// even if some of them take no time in this run. `uses` contains the operation's own streams,
    /// but not those of the producer of its input.
    virtual void costs(const CommandQueue&, const levee_descriptor&,
                       std::span<const FlowUse> /*uses*/, std::span<const CountedEvent> /*work*/)
    {
    }
    /// The current operation has incremented a counter.
    virtual void signalled(const CommandQueue&, std::uint32_t /*counter*/) {}
    /// The operation has completed, was refused (`error` is not LEVEE_ERROR_NONE), or was cancelled
    /// by a reset (`dropped`).
    virtual void finished(const CommandQueue&, std::uint32_t /*error*/, bool /*dropped*/) {}
    /// A doorbell for `count` descriptors was refused, because the queue had space for only `room`.
    virtual void overflowed(const CommandQueue&, std::uint32_t /*count*/, std::uint32_t /*room*/) {}
    /// A reset emptied the queue. The current operation still ends with finished().
    virtual void emptied(const CommandQueue&) {}
};

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
