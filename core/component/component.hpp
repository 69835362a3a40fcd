// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/command/inner_spans.hpp"
#include "core/component/injectable.hpp"
#include "core/component/plan.hpp"
#include "core/flow/flow_observer.hpp"
#include "core/memory/expert_matrices.hpp"
#include "core/memory/retention.hpp"
#include "core/units/clock.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee {

class RtlStatus;
class Storage;
class StorageModule;

/// Called with every logits vector that a component processes.
using LogitsSink = std::function<void(std::span<const float>)>;

/// An activity that a component performs by itself, such as refresh or programming. It schedules no
/// events; observers poll its count.
struct BackgroundActivity {
    std::string operation;                ///< Name of the event as in energy accounts, such as
                                          ///< "refresh.high_msb".
    const EnergyEvent* event;             ///< An event of the component's declaration.
    std::function<std::uint64_t()> count; ///< Total so far, in the event's unit.
    std::function<void()>
        enable{}; ///< Called before the run if the activity is observed; null: nothing to do.
};

/// Addresses of a model's experts, and of the space for copies of them.
struct ExpertPlaces {
    std::uint64_t experts = 0; ///< First byte of the memory with all experts.
    std::uint64_t copies = 0;
    std::uint64_t copies_bytes = 0;
};

/// A component of any type in a system: its interface to the platform, which connects, runs and
/// observes it. Members that do not apply to its type are null or empty.
struct Component {
    std::unique_ptr<sc_core::sc_module> module;

    // Registers and an interrupt.
    TargetPort* registers = nullptr;
    const RegisterFile* register_file = nullptr;
    std::function<void(bool)>* on_interrupt = nullptr;

    // Command queue, for operands in memory or streams.
    CommandQueue* queue = nullptr;
    InitiatorPort* memory = nullptr; ///< Connection to the bus.
    /// Makes the component use the execution units of another component, which its plan names.
    std::function<void(sc_core::sc_module&)> share;

    // Storage, at the Placement in its plan.
    TargetPort* storage = nullptr;
    /// Loads bytes before the run. The range must be inside the storage.
    std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)> load;
    /// For a component that caches experts (its plan has `copies`): receives the matrices of the
    /// model's experts, which are in the memory with the role `experts`. Called before the run, if
    /// a model is placed.
    std::function<void(std::span<const ExpertMatrices>, const ExpertPlaces&)> hold_experts;
    Storage* bytes = nullptr; ///< Host memory of the stored data; null: none.
    /// Number of commands for a stream of `bytes`, for price lists by command; null: none.
    std::function<std::vector<CountedEvent>(Direction, const AccessPattern&, std::uint64_t bytes)>
        commands;
    std::function<void(RetentionFailureSink)> observe_failures;
    std::function<void(DataLifetimeSink)> observe_lifetimes;

    /// Time spans within a queue's operations, for timelines. Without tracks, timelines show no
    /// spans of the component.
    InnerSpans inside;
    /// Adds the signals of its modules to a waveform file. Called before the run. Null: no signals.
    std::function<void(sc_core::sc_trace_file&)> trace_signals;

    std::vector<BackgroundActivity> background;
    FlowObserver* flow_observer = nullptr; ///< Must be notified of how resources are shared.

    /// State for fault campaigns (docs/faults.md), in addition to registers, descriptors and stored
    /// bytes.
    std::vector<Injectable> injectable;

    RtlStatus* rtl = nullptr;         ///< RTL twin, if the component runs one.
    SyncCounters* counters = nullptr; ///< The counters by which all queues signal.

    std::function<void(Stats&)> report;
    /// Returns a note about the figures, at the end of a run; empty if there is none.
    std::function<std::string()> caveat;
    std::function<void(LogitsSink)> observe_logits;

    /// Sets the members for a command queue.
    void use(CommandQueue& its_queue);
    /// Sets the members for storage.
    void use(StorageModule& its_module);
};

/// Wraps a module with a command queue as a component. Its figures are the module's if it reports
/// any, otherwise the queue's.
template <typename Module> [[nodiscard]] Component component_of(std::unique_ptr<Module> module)
{
    Component component;
    component.use(module->queue);
    component.report = [&block = *module](Stats& stats) {
        if constexpr (requires { block.report(stats); })
            block.report(stats);
        else
            block.queue.report(stats);
    };
    component.module = std::move(module);
    return component;
}

/// Wraps a module that also stores data.
template <typename Module> [[nodiscard]] Component store_of(std::unique_ptr<Module> module)
{
    Module& block = *module;
    Component component = component_of(std::move(module));
    component.storage = &block.port;
    component.load = [&block](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        block.load(offset, bytes);
    };
    component.inside = block.inside();
    return component;
}

/// Parameters for the construction of a component.
struct ComponentContext {
    Fabric* fabric;                       ///< Null only for the sync unit, which has the counters.
    std::uint32_t seed;                   ///< Seed of random draws.
    const Placement* placement = nullptr; ///< Plan of the storage, as completed by the platform.
};

} // namespace levee
