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

/// An activity that a component performs on its own: refresh, programming. It schedules no events;
/// observers poll its count.
struct BackgroundActivity {
    std::string operation;                ///< Event name, as in energy accounts:
                                          ///< "refresh.high_msb".
    const EnergyEvent* event;             ///< an event of the component's declaration
    std::function<std::uint64_t()> count; ///< total until now, in the event's unit
    std::function<void()>
        enable{}; ///< Called before the run if it is observed; null: nothing to do.
};

/// Addresses of the experts of a model and of the room for copies of some.
struct ExpertPlaces {
    std::uint64_t experts = 0; ///< First byte of the memory with all experts.
    std::uint64_t copies = 0;
    std::uint64_t copies_bytes = 0;
};

/// A component in a system, of any type: its interface to the platform for connecting,
/// running and observing it. Facets that its type does not have are null or empty.
struct Component {
    std::unique_ptr<sc_core::sc_module> module;

    // Registers and an interrupt.
    TargetPort* registers = nullptr;
    const RegisterFile* register_file = nullptr;
    std::function<void(bool)>* on_interrupt = nullptr;

    // Command queue, whose operands are in memory or streams.
    CommandQueue* queue = nullptr;
    InitiatorPort* memory = nullptr; ///< connection to the bus
    /// Shares the execution units of the component that its plan names.
    std::function<void(sc_core::sc_module&)> share;

    // Storage, at its plan's Placement.
    TargetPort* storage = nullptr;
    /// Loads bytes before the run. The range must lie inside.
    std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)> load;
    /// For a component whose plan has `copies`: gives it the model's experts, in the memory with
    /// the role `experts`. Called before the run, unless no model is placed.
    std::function<void(std::span<const ExpertMatrices>, const ExpertPlaces&)> hold_experts;
    Storage* bytes = nullptr; ///< Host memory of its stored data; null: none.
    /// Number of commands for a stream of `bytes`, for price lists by command; null: none.
    std::function<std::vector<CountedEvent>(Direction, const AccessPattern&, std::uint64_t bytes)>
        commands;
    std::function<void(RetentionFailureSink)> observe_failures;
    std::function<void(DataLifetimeSink)> observe_lifetimes;

    /// Spans within a queue's operations, for timelines; without tracks the type shows nothing.
    InnerSpans inside;
    /// Adds the signals of its modules to a waveform file; called before the run. Null: no signals.
    std::function<void(sc_core::sc_trace_file&)> trace_signals;

    std::vector<BackgroundActivity> background;
    FlowObserver* flow_observer = nullptr; ///< must be notified of how resources are shared

    /// State for fault campaigns (docs/faults.md), in addition to registers, descriptors and stored
    /// bytes.
    std::vector<Injectable> injectable;

    RtlStatus* rtl = nullptr;         ///< RTL twin, if the component runs one.
    SyncCounters* counters = nullptr; ///< counters through which all queues signal

    std::function<void(Stats&)> report;
    /// Returns a note, at the end of a run, that a reader of the figures must know; empty if there
    /// is none.
    std::function<std::string()> caveat;
    std::function<void(LogitsSink)> observe_logits;

    /// Sets the facets of a command queue.
    void use(CommandQueue& its_queue);
    /// Sets those of storage.
    void use(StorageModule& its_module);
};

/// A component made of a module with a command queue. Its figures are the module's own, otherwise
/// the queue's.
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

/// The same for a module that also stores data.
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

/// Environment in which a component is constructed.
struct ComponentContext {
    Fabric* fabric;                       ///< null only for the unit with the counters
    std::uint32_t seed;                   ///< seed of random draws
    const Placement* placement = nullptr; ///< Plan of its storage, as completed by the platform.
};

} // namespace levee
