// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/bounds/resources.hpp"

#include <algorithm>

namespace levee::bounds {

namespace {

/// "bus.link3" is a part of "bus".
bool belongs_to(const std::string& name, const std::string& component)
{
    return name == component || name.starts_with(component + ".");
}

} // namespace

Resources::Resources(const SystemPlan& plan, System& system, TimeBook& book)
    : plan_(plan), system_(system), book_(book)
{
    for (const PlannedMemory& memory : plan.memories)
        resources_.push_back({memory.name, "memory_" + memory.name, true,
                              memory.plan.bytes_per_second, book.row(), book.row()});
}

std::size_t Resources::find(const FlowResource& resource)
{
    for (const Slot& known : known_)
        if (known.resource == &resource)
            return known.index;
    known_.push_back({&resource, make(resource.flow_name())});
    return known_.back().index;
}

std::size_t Resources::make(const std::string& flow_name)
{
    for (std::size_t i = 0; i < plan_.memories.size(); ++i)
        if (belongs_to(flow_name, plan_.memories[i].name))
            return i;
    for (const PlannedBlock& block : plan_.blocks)
        if (belongs_to(flow_name, block.name)) // an array that two queues use
            return none;
    std::string name = "stream_" + flow_name;
    const std::string link = std::string(system_.bus().name()) + ".link_";
    if (flow_name.starts_with(link)) // to one of striped memories
        name = "link_" + flow_name.substr(link.size());
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

} // namespace levee::bounds
