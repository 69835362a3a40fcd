// SPDX-License-Identifier: Apache-2.0
// The parts of a flash as modules: channels, their slice control and dies, and the dies' cores.
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

/// Chooses which transfer is next on a channel's bus.
class SliceControlModule : public sc_core::sc_module, public SliceControlInterface {
public:
    sc_core::sc_export<SliceControlInterface> control;
    Output<unsigned> transfer; ///< Current transfer on the bus: a Step plus 1; 0: none.

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

/// Functions that make the parts of a channel; null: as configured.
struct PartMakers {
    std::function<std::unique_ptr<SliceControl>(const TimingConfig&)> slice_control{};
    std::function<std::unique_ptr<ComputeCore>(const TimingConfig&)> core{};
};

class DieModule : public sc_core::sc_module {
public:
    sc_core::sc_port<CoreInterface> compute; ///< bound to its core
    Output<unsigned> sensing;                ///< planes whose arrays are being read
    CoreModule core;

    DieModule(const sc_core::sc_module_name& name, const TimingConfig& config,
              const PartMakers& makers);
};

class ChannelModule : public sc_core::sc_module {
public:
    sc_core::sc_port<SliceControlInterface> arbiter; ///< bound to its slice control
    SliceControlModule slice_control;
    std::deque<DieModule> dies;

    ChannelModule(const sc_core::sc_module_name& name, std::uint32_t its_dies,
                  const TimingConfig& config, const PartMakers& makers);

    /// Parts bound to its ports; valid from the end of elaboration on.
    [[nodiscard]] ChannelParts parts();
};

/// All channels, and their outputs over time. Steps are known when an operation begins, and are
/// played if an output is bound.
class Channels {
public:
    /// Makes the channels' modules in the module that is being constructed.
    Channels(const Geometry& geometry, const std::vector<TimingConfig>& config,
             const PartMakers& makers);

    [[nodiscard]] std::vector<ChannelParts> parts();
    [[nodiscard]] ChannelModule& channel(std::uint32_t number) { return channels_[number]; }
    /// Binds all outputs to signals, and traces these. Before the simulation.
    void trace_signals(sc_core::sc_trace_file& file);

    [[nodiscard]] bool observed() const { return signals_ != nullptr; }
    /// Adds a step of the operation that begins. All steps are then played from `start` on.
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
    std::unique_ptr<Signals> signals_;           ///< null: not traced
    std::vector<Change> steps_;                  ///< Steps of the operation that begins.
    std::deque<Change> changes_;                 ///< Future changes, in order.
    std::vector<std::vector<unsigned>> sensing_; ///< planes, by channel and die
    sc_core::sc_event due_;
};

} // namespace levee::flash
