// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/clock.hpp"
#include "ip/common/command_queue.hpp"
#include "ip/common/lockstep.hpp"
#include "ip/edram/array.hpp"
#include "platform/machine/component/plan.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// Called with every logits vector that a component sees.
using LogitsSink = std::function<void(std::span<const float>)>;

/// What a component does of itself, whether anybody asks for it or not: refresh, programming.
/// Nothing is scheduled for it: who observes asks how much of it there has been.
struct BackgroundActivity {
    std::string operation;                ///< as energy accounts name it: "refresh.high_msb"
    const EnergyEvent* event;             ///< of the component's declaration
    std::function<std::uint64_t()> count; ///< until now, in the event's unit
};

/// A component in a system, whatever its type: what the platform needs to connect, run and observe
/// it. It has the facets that its type has; those of the others are null or empty.
struct Component {
    std::unique_ptr<sc_core::sc_module> module;

    // Registers, and an interrupt.
    tlm::tlm_target_socket<>* registers = nullptr;
    const RegisterFile* register_file = nullptr;
    std::function<void(bool)>* on_interrupt = nullptr;

    // A queue of descriptors, whose operands are memory or streams.
    CommandQueue* queue = nullptr;
    tlm::tlm_initiator_socket<>* memory = nullptr; ///< its way to the bus
    /// Makes it work on the units of the component that its plan names.
    std::function<void(sc_core::sc_module&)> share;

    // Storage, placed by its plan's Placement.
    tlm::tlm_target_socket<>* storage = nullptr;
    /// Puts bytes there before the run. The range must lie inside.
    std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)> load;
    std::function<void(edram::FailureSink)> observe_failures;
    std::function<void(edram::LifetimeSink)> observe_lifetimes;

    std::vector<BackgroundActivity> background;
    FlowObserver* flow_observer = nullptr; ///< must see how resources are shared

    RtlStatus* rtl = nullptr;         ///< its RTL twin, where that runs
    SyncCounters* counters = nullptr; ///< those that all queues signal through

    std::function<void(Stats&)> report;
    std::function<void(LogitsSink)> observe_logits;

    /// Sets the facets that a queue brings.
    void use(CommandQueue& its_queue);
};

/// What a component is made into.
struct Surroundings {
    Fabric* fabric;     ///< null only for the unit with the counters
    std::uint32_t seed; ///< of what is drawn at random
};

} // namespace levee
