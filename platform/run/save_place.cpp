// SPDX-License-Identifier: Apache-2.0
#include "platform/run/save_place.hpp"

#include "platform/run/machine_parts.hpp"

#include <algorithm>
#include <string>

namespace levee {

namespace {

/// Returns whether keys and values can be saved in a component, either as copies by a DMA engine or
/// in pages of a flash. A flash with experts has no free pages, since the experts occupy pages of
/// all planes.
bool takes_saves(const PlannedComponent& component)
{
    const Placement& placement = component.plan.placement;
    if (placement.programmed && (component.roles & LEVEE_ROLE_EXPERTS) == 0)
        return true;
    return component.stores() && placement.place != MemoryPlace::TightlyCoupled &&
           placement.written_by_address && !placement.halved && !placement.refreshed;
}

/// Returns why keys and values cannot be saved in a component, for a message.
std::string why_not(const PlannedComponent& component)
{
    const Placement& placement = component.plan.placement;
    if (placement.refreshed)
        return "', which is refreshed and would decay in the pause";
    if (placement.place == MemoryPlace::TightlyCoupled)
        return "', the core's own memory, to which no block can copy";
    return "', to which no block can copy";
}

/// Returns whether no other memory can have keys, values or their scales.
bool holds_everything(const SystemPlan& plan, const PlannedComponent& memory)
{
    constexpr std::uint32_t roles = LEVEE_ROLE_KV | LEVEE_ROLE_STATE | LEVEE_ROLE_SPILL;
    const std::size_t range = plan.range_of(memory.name);
    return std::ranges::none_of(plan.components, [&](const PlannedComponent& other) {
        return other.stores() && (other.roles & roles) != 0 && plan.range_of(other.name) != range;
    });
}

} // namespace

std::uint64_t save_base(const SystemPlan& plan, const config::Save& save)
{
    if (std::ranges::none_of(plan.components, [](const PlannedComponent& component) {
            return component.plan.copies_bytes;
        }))
        throw config::Error(save.place, "'workload.save' is given, but no block of this system "
                                        "copies between memories; expected such a block, or no "
                                        "'save'");
    std::string names, why = "'; this system has no such memory";
    for (const PlannedComponent& component : plan.components) {
        const bool is_named = component.name == save.memory;
        if (is_named && !takes_saves(component))
            why = why_not(component);
        else if (is_named && holds_everything(plan, component))
            why = "', which already contains all keys and values";
        if (!takes_saves(component) || holds_everything(plan, component))
            continue;
        if (is_named)
            return plan.components[plan.range_of(save.memory)].base;
        names += (names.empty() ? "" : ", ") + component.name;
    }
    throw config::Error(save.place,
                        "'workload.save.memory' is '" + save.memory + why + "; expected one of: " +
                            (names.empty() ? "(no memory of this system is suitable)" : names));
}

void check_save(const SystemPlan& plan, const config::Scenario& scenario)
{
    if (!scenario.workload || !scenario.workload->save)
        return;
    check_copies(scenario);
    (void)save_base(plan, *scenario.workload->save);
}

} // namespace levee
