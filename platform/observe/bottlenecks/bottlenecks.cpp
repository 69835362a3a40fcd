// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/bottlenecks/bottlenecks.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace levee::bottlenecks {

namespace {

SyncCounters& counters_of(System& system)
{
    for (const Component& component : system.components())
        if (component.counters != nullptr)
            return *component.counters;
    throw std::logic_error("a system with queues has no sync unit");
}

} // namespace

std::unique_ptr<Bottlenecks> watch(const SystemPlan& plan, System& system)
{
    const auto has_queue = [](const Component& component) { return component.queue != nullptr; };
    if (std::none_of(system.components().begin(), system.components().end(), has_queue))
        return nullptr;
    return std::make_unique<Bottlenecks>(plan, system);
}

Bottlenecks::Bottlenecks(const SystemPlan& plan, System& system)
    : plan_(plan), resources_(plan, book_), watched_{book_, core_, counters_of(system), resources_},
      time_(book_.row()), awake_(book_.row()), alone_(book_.row())
{
    watched_.before_change = [this](Picoseconds now) { settle_core(now); };
    for (std::size_t i = 0; i < plan.components.size(); ++i)
        if (CommandQueue* queue = system.components()[i].queue) {
            blocks_.emplace_back(plan.components[i].name, *queue, watched_);
            watched_.blocks.push_back(&blocks_.back());
        }
    system.flows().observe(*this);
    system.core().on_sleep = [this](bool asleep) { core_.sleeps(asleep, watched_.now()); };
}

void Bottlenecks::shared(Picoseconds at, std::span<Activity* const> running)
{
    const Picoseconds now = watched_.at(at);
    for (BlockWatch& block : blocks_)
        block.shared(now, running);
    std::uint64_t binding = 0;
    for (const Activity* activity : running)
        if (activity->bound_by != nullptr)
            if (const std::size_t index = resources_.index_of(*activity->bound_by);
                index < most_binding)
                binding |= std::uint64_t{1} << index;
    if (binding == binding_)
        return;
    settle_resources(now);
    binding_ = binding;
}

void Bottlenecks::settle_resources(Picoseconds now)
{
    for (std::uint64_t rest = binding_; rest != 0; rest &= rest - 1)
        book_.add(resources_.all()[static_cast<unsigned>(std::countr_zero(rest))].binds,
                  now - binding_since_);
    binding_since_ = now;
}

/// Attributes the core's time until `now`. The number of busy blocks must have been zero throughout
/// this time, or nonzero throughout.
void Bottlenecks::settle_core(Picoseconds now)
{
    const Picoseconds slept = core_.slept(now);
    const Picoseconds awake = now - core_since_ - (slept - slept_);
    book_.add(awake_, awake);
    if (watched_.busy == 0)
        book_.add(alone_, awake);
    core_since_ = now;
    slept_ = slept;
}

void Bottlenecks::settle(Picoseconds at)
{
    const Picoseconds now = watched_.at(at);
    watched_.settled = now;
    for (BlockWatch& block : blocks_)
        block.settle(now);
    settle_resources(now);
    settle_core(now);
    book_.add(time_, now - entered_);
    entered_ = now;
}

void Bottlenecks::enter(levee_phase phase, Picoseconds now)
{
    settle(now);
    book_.set_phase(phase);
}

const std::vector<std::uint64_t>& Bottlenecks::counts(Picoseconds now)
{
    settle(now);
    return book_.cells();
}

void Bottlenecks::finish(Picoseconds now)
{
    settle(now);
    for (BlockWatch& block : blocks_)
        block.finish(watched_.settled);
}

/// Returns the name of a block's own pace in results. For a block that is also a memory, the name
/// gets a prefix, to differ from the memory's name.
std::string Bottlenecks::name_of_pace(const BlockWatch& block) const
{
    const bool is_memory =
        std::any_of(resources_.all().begin(), resources_.all().end(), [&](const Resource& known) {
            return known.is_memory && known.name == block.name();
        });
    return is_memory ? "pace_" + block.name() : block.name();
}

/// Adds the time that a queue spends loading operands. The queues of one array load at the same
/// time, so the array's time is the longest of its queues' times.
void Bottlenecks::add_loading(const BlockWatch& block, std::uint64_t time,
                              PhaseBottlenecks& phase) const
{
    const auto plan_of = [this](const std::string& name) {
        return std::find_if(plan_.components.begin(), plan_.components.end(),
                            [&](const PlannedComponent& known) { return known.name == name; });
    };
    if (time == 0)
        return;
    auto array = plan_of(block.name());
    if (!array->plan.shares.empty())
        array = plan_of(array->plan.shares);
    for (PhaseBottlenecks::Loading& known : phase.loads)
        if (known.array == array->name) {
            known.time = std::max(known.time, time);
            return;
        }
    phase.loads.push_back({array->name, time, array->plan.load_bytes_per_second});
}

std::vector<PhaseBottlenecks> Bottlenecks::phases(std::span<const std::uint64_t> counts) const
{
    std::vector<PhaseBottlenecks> result;
    for (const levee_phase number : table_phases) {
        const auto value = [&](TimeBook::Row row) { return TimeBook::value(counts, row, number); };
        PhaseBottlenecks phase;
        phase.name = phase_names[number];
        phase.time = value(time_);
        if (phase.time == 0)
            continue;
        phase.core_awake = value(awake_);
        if (const PlannedComponent* weights = plan_.memory_for(LEVEE_ROLE_MODEL))
            phase.weight_bytes_per_second =
                weights->plan.placement.bytes_per_second *
                plan_.ways_at(static_cast<std::size_t>(weights - plan_.components.data()));
        for (const PlannedComponent& component : plan_.components)
            phase.macs_per_second += component.plan.macs_per_second;
        for (const Resource& resource : resources_.all())
            phase.resources.push_back({resource.name, value(resource.binds), resource.is_memory,
                                       value(resource.bytes), resource.peak});
        for (const BlockWatch& block : blocks_) {
            phase.macs += value(block.macs());
            const std::uint64_t loading = value(block.load().row);
            phase.resources.push_back({name_of_pace(block), value(block.pace().row) + loading});
            add_loading(block, loading, phase);
            phase.blocks.push_back({block.name(), {}});
            for (const Cause& cause : block.causes())
                if (const std::uint64_t time = value(cause.row); time > 0)
                    phase.blocks.back().causes.push_back({cause.name, time});
        }
        phase.resources.push_back({"core", value(alone_)});
        result.push_back(std::move(phase));
    }
    return result;
}

} // namespace levee::bottlenecks
