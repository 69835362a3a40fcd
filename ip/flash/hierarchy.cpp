// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/hierarchy.hpp"

#include "core/flow/flow_engine.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace levee::flash {

namespace {

std::unique_ptr<SliceControl> make_slice_control(const TimingConfig& config,
                                                 const PartMakers& makers)
{
    return makers.slice_control ? makers.slice_control(config)
                                : std::make_unique<ConfiguredSliceControl>(config);
}

std::unique_ptr<ComputeCore> make_core(const TimingConfig& config, const PartMakers& makers)
{
    return makers.core ? makers.core(config) : std::make_unique<ConfiguredCore>(config);
}

/// Connects an output to a signal, and traces the signal under the output's name.
template <typename T>
void trace(sc_core::sc_trace_file& file, Output<T>& output,
           std::deque<sc_core::sc_signal<T>>& signals)
{
    sc_core::sc_signal<T>& signal = signals.emplace_back();
    output.bind(signal);
    sc_core::sc_trace(&file, signal, output.name());
}

} // namespace

SliceControlModule::SliceControlModule(const sc_core::sc_module_name& name,
                                       std::unique_ptr<SliceControl> rules)
    : sc_module(name), control("control"), transfer("transfer"), rules_(std::move(rules))
{
    control.bind(*this);
}

CoreModule::CoreModule(const sc_core::sc_module_name& name, std::unique_ptr<ComputeCore> rules)
    : sc_module(name), control("control"), busy("busy"), rules_(std::move(rules))
{
    control.bind(*this);
}

DieModule::DieModule(const sc_core::sc_module_name& name, const TimingConfig& config,
                     const PartMakers& makers)
    : sc_module(name), compute("compute"), sensing("sensing"),
      core("core", make_core(config, makers))
{
    compute.bind(core.control);
}

ChannelModule::ChannelModule(const sc_core::sc_module_name& name, std::uint32_t its_dies,
                             const TimingConfig& config, const PartMakers& makers)
    : sc_module(name), arbiter("arbiter"),
      slice_control("slice_control", make_slice_control(config, makers))
{
    arbiter.bind(slice_control.control);
    for (std::uint32_t die = 0; die < its_dies; ++die)
        dies.emplace_back(("die" + std::to_string(die)).c_str(), config, makers);
}

ChannelParts ChannelModule::parts()
{
    ChannelParts parts;
    parts.slice_control = &arbiter->slice_control();
    for (DieModule& die : dies)
        parts.cores.push_back(&die.compute->core());
    return parts;
}

Channels::Channels(const Geometry& geometry, const std::vector<TimingConfig>& config,
                   const PartMakers& makers)
    : sensing_(config.size(), std::vector<unsigned>(geometry.dies_per_channel()))
{
    for (std::size_t i = 0; i < config.size(); ++i)
        channels_.emplace_back(("channel" + std::to_string(i)).c_str(), geometry.dies_per_channel(),
                               config[i], makers);
}

std::vector<ChannelParts> Channels::parts()
{
    std::vector<ChannelParts> all;
    for (ChannelModule& channel : channels_)
        all.push_back(channel.parts());
    return all;
}

void Channels::trace_signals(sc_core::sc_trace_file& file)
{
    signals_ = std::make_unique<Signals>();
    for (ChannelModule& channel : channels_) {
        trace(file, channel.slice_control.transfer, signals_->numbers);
        for (DieModule& die : channel.dies) {
            trace(file, die.sensing, signals_->numbers);
            trace(file, die.core.busy, signals_->levels);
        }
    }
    sc_core::sc_spawn_options method;
    method.spawn_method();
    method.set_sensitivity(&due_);
    method.dont_initialize();
    sc_core::sc_spawn([this] { play(); }, sc_core::sc_gen_unique_name("flash_signals"), &method);
}

void Channels::add(std::uint32_t channel, const Span& step)
{
    if (step.step == Step::Hold)
        return;
    steps_.push_back({step.from, channel, step.step, step.die, true});
    steps_.push_back({step.to, channel, step.step, step.die, false});
}

/// Replays the collected steps from time `start` on. At equal times, ends come before beginnings.
void Channels::play_from(Time start)
{
    std::stable_sort(steps_.begin(), steps_.end(), [](const Change& a, const Change& b) {
        return a.at != b.at ? a.at < b.at : a.begins < b.begins;
    });
    for (Change& change : std::exchange(steps_, {})) {
        change.at += start;
        changes_.push_back(change);
    }
    due_.notify(sc_core::SC_ZERO_TIME);
}

void Channels::play()
{
    for (; !changes_.empty() && changes_.front().at <= now_ps(); changes_.pop_front())
        show(changes_.front());
    if (!changes_.empty())
        due_.notify(sc_core::sc_time::from_value(changes_.front().at - now_ps()));
}

void Channels::show(const Change& change)
{
    ChannelModule& channel = channels_[change.channel];
    DieModule& die = channel.dies[change.die];
    if (is_on_bus(change.step)) {
        channel.slice_control.transfer->write(change.begins ? static_cast<unsigned>(change.step) + 1
                                                            : 0);
    } else if (change.step == Step::Sense) {
        unsigned& planes = sensing_[change.channel][change.die];
        planes += change.begins ? 1 : -1;
        die.sensing->write(planes);
    } else if (change.step == Step::Compute) {
        die.core.busy->write(change.begins);
    }
}

} // namespace levee::flash
