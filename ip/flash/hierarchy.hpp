// SPDX-License-Identifier: Apache-2.0
// SystemC modules of a flash: channels, each with its slice control and dies, and a core in each
// die.
#pragma once

#include "core/flow/output.hpp"
#include "ip/flash/timing/parts.hpp"

#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace levee::flash {

class SliceControlInterface : public virtual sc_core::sc_interface {
public:
    [[nodiscard]] virtual SliceControl& slice_control() = 0;
};

class CoreInterface : public virtual sc_core::sc_interface {
public:
    [[nodiscard]] virtual const ComputeCore& core() const = 0;
};

/// Module that chooses the next transfer on a channel's bus.
class SliceControlModule : public sc_core::sc_module, public SliceControlInterface {
public:
    sc_core::sc_export<SliceControlInterface> control;
    Output<unsigned> transfer; ///< Step of the current transfer on the bus, plus 1; 0: none.

    SliceControlModule(const sc_core::sc_module_name& name, std::unique_ptr<SliceControl> rules);
    [[nodiscard]] SliceControl& slice_control() override { return *rules_; }

private:
    std::unique_ptr<SliceControl> rules_;
};

class CoreModule : public sc_core::sc_module, public CoreInterface {
public:
    sc_core::sc_export<CoreInterface> control;
    Output<bool> busy;

    CoreModule(const sc_core::sc_module_name& name, std::unique_ptr<ComputeCore> rules);
    [[nodiscard]] const ComputeCore& core() const override { return *rules_; }

private:
    std::unique_ptr<ComputeCore> rules_;
};

/// Factories for the parts of a channel; null selects the configured part.
struct PartMakers {
    std::function<std::unique_ptr<SliceControl>(const TimingConfig&)> slice_control{};
    std::function<std::unique_ptr<ComputeCore>(const TimingConfig&)> core{};
};

class DieModule : public sc_core::sc_module {
public:
    sc_core::sc_port<CoreInterface> compute; ///< Bound to the die's core.
    Output<unsigned> sensing;                ///< Number of planes whose arrays are being read.
    CoreModule core;

    DieModule(const sc_core::sc_module_name& name, const TimingConfig& config,
              const PartMakers& makers);
};

class ChannelModule : public sc_core::sc_module {
public:
    sc_core::sc_port<SliceControlInterface> arbiter; ///< Bound to the channel's slice control.
    SliceControlModule slice_control;
    std::deque<DieModule> dies;

    ChannelModule(const sc_core::sc_module_name& name, std::uint32_t its_dies,
                  const TimingConfig& config, const PartMakers& makers);

    /// Returns the parts that are bound to the channel's ports. Call after elaboration.
    [[nodiscard]] ChannelParts parts();
};

/// All channels and their output signals. When an operation begins, all its steps are already
/// known. If an output is bound, the steps are replayed over simulated time.
class Channels {
public:
    /// Creates the channels' modules inside the module under construction.
    Channels(const Geometry& geometry, const std::vector<TimingConfig>& config,
             const PartMakers& makers);

    [[nodiscard]] std::vector<ChannelParts> parts();
    [[nodiscard]] ChannelModule& channel(std::uint32_t number) { return channels_[number]; }
    /// Binds a signal to every output and traces it. Call before the simulation starts.
    void trace_signals(sc_core::sc_trace_file& file);

    [[nodiscard]] bool observed() const { return signals_ != nullptr; }
    /// Adds a step of the current operation. play_from() then replays all steps, shifted to
    /// `start`.
    void add(std::uint32_t channel, const Span& step);
    void play_from(Time start);

private:
    struct Change {
        Time at;
        std::uint32_t channel;
        Step step;
        std::uint32_t die;
        bool begins;
    };
    struct Signals {
        std::deque<sc_core::sc_signal<unsigned>> numbers{};
        std::deque<sc_core::sc_signal<bool>> levels{};
    };
    void play();
    void show(const Change& change);

    std::deque<ChannelModule> channels_;
    std::unique_ptr<Signals> signals_;           ///< Null: outputs are not traced.
    std::vector<Change> steps_;                  ///< Steps of the current operation.
    std::deque<Change> changes_;                 ///< Future changes, in order.
    std::vector<std::vector<unsigned>> sensing_; ///< Planes that are sensing, by channel and die.
    sc_core::sc_event due_;
};

} // namespace levee::flash
