#include "platform/bounds/bounds.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace levee::bounds {

namespace {

/// "bus.link3" is a part of "bus".
bool belongs_to(const std::string& name, const std::string& component)
{
    return name == component || name.starts_with(component + ".");
}

const SyncCounters& counters_of(System& system)
{
    for (const Block& block : system.blocks())
        if (block.counters != nullptr)
            return *block.counters;
    throw std::logic_error("a system with queues has no sync unit");
}

} // namespace

std::unique_ptr<Bounds> watch(const SystemPlan& plan, System& system)
{
    const auto has_queue = [](const Block& block) { return block.queue != nullptr; };
    if (std::none_of(system.blocks().begin(), system.blocks().end(), has_queue))
        return nullptr;
    return std::make_unique<Bounds>(plan, system);
}

Bounds::Bounds(const SystemPlan& plan, System& system)
    : plan_(plan), system_(system), watched_{book_, core_, counters_of(system), {}, {}, {}, 0, {}},
      time_(book_.row()), awake_(book_.row()), alone_(book_.row())
{
    for (const PlannedMemory& memory : plan.memories)
        resources_.push_back({memory.name, "memory_" + memory.name, true,
                              memory.plan.bytes_per_second, book_.row(), book_.row()});
    watched_.name_of = [this](const FlowResource& resource) {
        const std::size_t index = index_of(resource);
        return index < resources_.size() ? resources_[index].cause : std::string();
    };
    watched_.bytes_of = [this](const FlowResource& resource) {
        const std::size_t index = index_of(resource);
        return index < resources_.size() && resources_[index].is_memory
                   ? std::optional(resources_[index].bytes)
                   : std::nullopt;
    };
    watched_.before_change = [this](Picoseconds now) { settle_core(now); };
    for (std::size_t i = 0; i < plan.blocks.size(); ++i)
        if (CommandQueue* queue = system.blocks()[i].queue) {
            blocks_.emplace_back(plan.blocks[i].name, *queue, watched_);
            watched_.blocks.push_back(&blocks_.back());
        }
    system.flows().observe(*this);
    system.core().on_sleep = [this](bool asleep) { core_.sleeps(asleep, now_ps()); };
}

std::size_t Bounds::index_of(const FlowResource& resource)
{
    for (const auto& [known, index] : known_)
        if (known == &resource)
            return index;
    known_.emplace_back(&resource, make_index(resource.flow_name()));
    return known_.back().second;
}

std::size_t Bounds::make_index(const std::string& flow_name)
{
    for (std::size_t i = 0; i < plan_.memories.size(); ++i)
        if (belongs_to(flow_name, plan_.memories[i].name))
            return i;
    for (const BlockWatch& block : blocks_)
        if (belongs_to(flow_name, block.name())) // an array that two queues use
            return no_resource;
    std::string name = "stream_" + flow_name;
    for (const bus::Mapping& mapping : system_.bus().mappings())
        if (flow_name ==
            std::string(system_.bus().name()) + ".link" + std::to_string(mapping.target))
            name = "link_" + mapping.name.substr(0, mapping.name.find(' '));
    const auto same = std::find_if(resources_.begin(), resources_.end(),
                                   [&](const Resource& known) { return known.cause == name; });
    if (same != resources_.end())
        return static_cast<std::size_t>(same - resources_.begin());
    resources_.push_back({name, name, false, 0, book_.row(), book_.row()});
    return resources_.size() - 1;
}

void Bounds::shared(Picoseconds now, std::span<Activity* const> running)
{
    for (BlockWatch& block : blocks_)
        block.shared(now, running);
    std::uint64_t binding = 0;
    for (const Activity* activity : running)
        if (activity->bound_by != nullptr)
            if (const std::size_t index = index_of(*activity->bound_by); index < most_binding)
                binding |= std::uint64_t{1} << index;
    if (binding == binding_)
        return;
    settle_resources(now);
    binding_ = binding;
}

void Bounds::settle_resources(Picoseconds now)
{
    for (std::uint64_t rest = binding_; rest != 0; rest &= rest - 1)
        book_.add(resources_[static_cast<unsigned>(std::countr_zero(rest))].binds,
                  now - binding_since_);
    binding_since_ = now;
}

/// Until now it has not changed whether a block has something to do.
void Bounds::settle_core(Picoseconds now)
{
    const Picoseconds slept = core_.slept(now);
    const Picoseconds awake = now - core_since_ - (slept - slept_);
    book_.add(awake_, awake);
    if (watched_.busy == 0)
        book_.add(alone_, awake);
    core_since_ = now;
    slept_ = slept;
}

void Bounds::settle(Picoseconds now)
{
    for (BlockWatch& block : blocks_)
        block.settle(now);
    settle_resources(now);
    settle_core(now);
    book_.add(time_, now - entered_);
    entered_ = now;
}

void Bounds::enter(levee_phase phase, Picoseconds now)
{
    settle(now);
    book_.set_phase(phase);
}

const std::vector<std::uint64_t>& Bounds::counts(Picoseconds now)
{
    settle(now);
    return book_.cells();
}

void Bounds::finish(Picoseconds now)
{
    settle(now);
    for (BlockWatch& block : blocks_)
        block.finish(now);
}

std::vector<PhaseBounds> Bounds::phases(std::span<const std::uint64_t> counts) const
{
    std::vector<PhaseBounds> result;
    for (const auto& [phase, name] :
         {std::pair{LEVEE_PHASE_PREFILL, "prefill"}, std::pair{LEVEE_PHASE_DECODE, "decode"},
          std::pair{LEVEE_PHASE_OTHER, "other"}}) {
        const auto value = [&, phase](TimeBook::Row row) {
            return TimeBook::value(counts, row, phase);
        };
        PhaseBounds bounds;
        bounds.name = name;
        bounds.time = value(time_);
        if (bounds.time == 0)
            continue;
        bounds.core_awake = value(awake_);
        for (const PlannedBlock& block : plan_.blocks)
            bounds.macs_per_second += block.plan.macs_per_second;
        for (const Resource& resource : resources_)
            bounds.resources.push_back({resource.name, value(resource.binds), resource.is_memory,
                                        value(resource.bytes), resource.peak});
        for (const BlockWatch& block : blocks_) {
            bounds.macs += value(block.macs());
            bounds.resources.push_back({block.name(), value(block.pace().row)});
            bounds.blocks.push_back({block.name(), {}});
            for (const Cause& cause : block.causes())
                if (const std::uint64_t time = value(cause.row); time > 0)
                    bounds.blocks.back().causes.push_back({cause.name, time});
        }
        bounds.resources.push_back({"core", value(alone_)});
        result.push_back(std::move(bounds));
    }
    return result;
}

} // namespace levee::bounds
