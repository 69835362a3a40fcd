// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/bottlenecks/resources.hpp"

#include <algorithm>

namespace levee::bottlenecks {

Resources::Resources(const SystemPlan& plan, TimeBook& book) : book_(book)
{
    for (const PlannedComponent& memory : plan.components)
        if (memory.stores())
            resources_.push_back({memory.name, "memory_" + memory.name, "refresh_" + memory.name,
                                  true, memory.plan.placement.bytes_per_second, book.row(),
                                  book.row()});
}

std::size_t Resources::find(const FlowResource& resource)
{
    for (const Slot& known : known_)
        if (known.resource == &resource)
            return known.index;
    known_.push_back({&resource, make(resource.account())});
    return known_.back().index;
}

std::size_t Resources::make(const FlowAccount& account)
{
    using Kind = FlowAccount::Kind;
    if (account.kind == Kind::Units)
        return none;
    const std::string cause = account.kind == Kind::Storage ? "memory_" + account.component
                              : account.kind == Kind::Link  ? "link_" + account.to
                                                            : "stream_" + account.component;
    const auto same = std::find_if(resources_.begin(), resources_.end(),
                                   [&](const Resource& known) { return known.cause == cause; });
    if (same != resources_.end())
        return static_cast<std::size_t>(same - resources_.begin());
    resources_.push_back(
        {cause, cause, "refresh_" + account.component, false, 0, book_.row(), book_.row()});
    return resources_.size() - 1;
}

} // namespace levee::bottlenecks
