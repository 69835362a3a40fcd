// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"
#include "ip/common/descriptor.h"
#include "ip/common/flow.hpp"

#include <cstdint>
#include <span>

namespace levee {

class CommandQueue;

/// What an operation does that costs energy, beside moving data through memories and links.
struct CountedEvent {
    const EnergyEvent* event; ///< of the block's declaration
    std::uint64_t count = 0;
};

/// Follows descriptors through a queue, each call at the simulated time of what it tells. `id`
/// counts the descriptors ever submitted to that queue from 0; they are taken in this order.
class CommandObserver {
public:
    virtual ~CommandObserver() = default;
    /// By the doorbell. `waiting`: descriptors in the queue, this one among them.
    virtual void submitted(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) = 0;
    /// Left the queue to be executed; it may not have been fetched yet.
    virtual void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) = 0;
    virtual void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) = 0;
    /// All it waits for has come, other blocks' streams too; its own time begins. `descriptor` has
    /// its indirect operands applied. `activity` will run, unless it goes into a stream port: then
    /// `streams` is set and it runs as part of the consumer's.
    virtual void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                         const Activity& activity, bool streams) = 0;
    /// Just before started(): what the operation costs in energy, whatever of it takes time here.
    /// `uses` are its own streams, not those of a producer that it consumes from.
    virtual void costs(const CommandQueue&, const levee_descriptor&,
                       std::span<const FlowUse> /*uses*/, std::span<const CountedEvent> /*work*/)
    {
    }
    /// What is being executed has added to a counter.
    virtual void signalled(const CommandQueue&, std::uint32_t /*counter*/) {}
    /// Done, refused (`error` not LEVEE_ERROR_NONE) or dropped by a reset (`dropped`).
    virtual void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) = 0;
    /// A doorbell for `count` descriptors was refused: the queue had room for `room`.
    virtual void overflowed(const CommandQueue&, std::uint32_t /*count*/, std::uint32_t /*room*/) {}
    /// A reset emptied the queue; what was being executed ends by finished().
    virtual void emptied(const CommandQueue& queue) = 0;
};

/// Sees how the activities of a system share its resources.
class FlowObserver {
public:
    virtual ~FlowObserver() = default;
    /// Speeds and bounds (`speed`, `bound_by`) of all `running` from `now` on. Called whenever one
    /// starts or ends; the last call at a time counts.
    virtual void shared(Picoseconds now, std::span<Activity* const> running) = 0;
};

} // namespace levee
