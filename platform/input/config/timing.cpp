// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/timing.hpp"

#include "platform/input/config/timing_keys.hpp"

#include <algorithm>

namespace levee::config {

namespace {

std::vector<std::string> names_of(const SystemConfig& system)
{
    std::vector<std::string> names;
    for (const auto* list : {&system.memories, &system.blocks})
        for (const Component& component : *list)
            names.push_back(component.name);
    return names;
}

} // namespace

TakesTime TimingConfig::of(const std::string& component) const
{
    const auto named = std::ranges::find(components, component, &ComponentTiming::name);
    return named != components.end() ? named->takes : others;
}

TimingConfig read_timing(MapReader& scenario, const SystemConfig& system)
{
    const Node* const node = scenario.raw("timing", false);
    if (node == nullptr || !node->is_map()) {
        const bool is_ideal = scenario.as(timing_word_form).word<bool>("timing");
        return is_ideal ? TimingConfig{false, false, TakesTime::Streams, {}} : TimingConfig{};
    }
    MapReader reader(*node, "timing", timing_keys);
    TimingConfig timing;
    timing.latency = reader.boolean("latency");
    timing.fetch = reader.boolean("fetch");
    for (const std::string& name : names_of(system))
        if (const Node* const chosen = reader.raw(name, false)) {
            const Key form = component_timing_form(name.c_str());
            timing.components.push_back(
                {name, reader.as(form).word<TakesTime>(name), chosen->place});
        }
    reader.finish();
    return timing;
}

} // namespace levee::config
