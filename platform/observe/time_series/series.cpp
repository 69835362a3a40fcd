// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/time_series/series.hpp"

#include "platform/observe/trace/operation_text.hpp"

#include <cctype>

namespace levee::series {

namespace {

constexpr std::size_t bin_count = 256;
constexpr unsigned first_width =
    10; // 2^10 ps, so that even the shortest run fills more than one bin

std::string lower(std::string text)
{
    for (char& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

} // namespace

Series::Series(const SystemPlan& plan, System& system) : bins_(bin_count, first_width)
{
    for (const PlannedComponent& memory : plan.components)
        if (memory.stores())
            memories_.push_back(
                {memory.name, bins_.add_channel(), memory.plan.placement.bytes_per_second});
    for (std::size_t i = 0; i < plan.components.size(); ++i)
        if (CommandQueue* queue = system.components()[i].queue)
            queues_.emplace_back(*this, plan.components[i].name, *queue);
    entered_.emplace_back(phase_, 0);
}

void Series::enter(levee_phase phase, Picoseconds now)
{
    if (phase == phase_)
        return;
    phase_ = phase;
    if (entered_.size() < most_spans)
        entered_.emplace_back(phase, now);
}

std::size_t Series::channel_of(const FlowResource& resource)
{
    for (const auto& [known, channel] : known_)
        if (known == &resource)
            return channel;
    std::size_t channel = none;
    if (resource.account().kind == FlowAccount::Kind::Storage)
        for (const Line& memory : memories_)
            if (memory.name == resource.account().component)
                channel = memory.channel;
    known_.emplace_back(&resource, channel);
    return channel;
}

std::vector<Series::Line> Series::blocks() const
{
    std::vector<Line> lines;
    for (const Queue& queue : queues_)
        lines.push_back({queue.name(), queue.channel(), 0});
    return lines;
}

std::vector<Operations> Series::operations() const
{
    std::vector<Operations> all;
    for (const Queue& queue : queues_)
        queue.report(all);
    return all;
}

std::vector<PhaseSpan> Series::spans(Picoseconds end) const
{
    std::vector<PhaseSpan> all;
    for (std::size_t i = 0; i < entered_.size(); ++i) {
        const Picoseconds until = i + 1 < entered_.size() ? entered_[i + 1].second : end;
        if (until > entered_[i].second)
            all.push_back({entered_[i].first, entered_[i].second, until});
    }
    return all;
}

Series::Queue::Queue(Series& series, std::string name, CommandQueue& queue)
    : series_(series), name_(std::move(name)), declaration_(queue.declaration()),
      channel_(series.bins_.add_channel())
{
    queue.observe(*this);
}

void Series::Queue::costs(const CommandQueue&, const levee_descriptor&,
                          std::span<const FlowUse> uses, std::span<const CountedEvent>)
{
    bytes_.clear();
    for (const FlowUse& use : uses)
        if (use.accounted)
            if (const std::size_t channel = series_.channel_of(*use.resource); channel != none)
                bytes_.emplace_back(channel, use.bytes);
}

void Series::Queue::started(const CommandQueue&, const levee_descriptor& descriptor,
                            const Activity&, bool)
{
    runs_ = true;
    began_ = now_ps();
    opcode_ = descriptor.opcode;
}

void Series::Queue::finished(const CommandQueue&, std::uint32_t, bool)
{
    if (!runs_)
        return; // the operation was refused, or dropped before it started
    runs_ = false;
    const Picoseconds now = now_ps();
    series_.bins_.add(channel_, began_, now, now - began_);
    for (const auto& [channel, bytes] : bytes_)
        series_.bins_.add(channel, began_, now, bytes);
    Sum& sum = sums_[opcode_][series_.phase_];
    ++sum.count;
    sum.time += now - began_;
}

void Series::Queue::report(std::vector<Operations>& all) const
{
    for (std::size_t opcode = 0; opcode < sums_.size(); ++opcode) {
        levee_descriptor descriptor{};
        descriptor.opcode = static_cast<std::uint8_t>(opcode);
        for (std::size_t phase = 0; phase < phases; ++phase)
            if (const Sum& sum = sums_[opcode][phase]; sum.count > 0)
                all.push_back({name_, lower(trace::operation_name(declaration_, descriptor)),
                               static_cast<levee_phase>(phase), sum.count, sum.time});
    }
}

} // namespace levee::series
