// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/timing.hpp"

#include "platform/input/config/timing_keys.hpp"

#include <algorithm>
#include <string_view>

namespace levee::config {

TakesTime TimingConfig::of(const std::string& component) const
{
    const auto named = std::ranges::find(components, component, &ComponentTiming::name);
    return named != components.end() ? named->takes : others;
}

TimingConfig read_timing(MapReader& scenario)
{
    static const Node nothing{Node::Kind::Map, {}, {}, false, false, {}, {}};
    const Node* const node = scenario.raw("timing", false);
    const bool by_name = node != nullptr && node->is_map();
    if (!by_name && scenario.as(timing_word_form).word<bool>("timing"))
        return {false, false, TakesTime::Streams, {}};
    MapReader reader(by_name ? *node : nothing, "timing", timing_keys);
    TimingConfig timing;
    timing.latency = reader.boolean("latency");
    timing.fetch = reader.boolean("fetch");
    for (const Node::Entry& entry : reader.node().entries)
        if (entry.key != "latency" && entry.key != "fetch") {
            const Key form = component_timing_form(entry.key.c_str());
            timing.components.push_back(
                {entry.key, reader.as(form).word<TakesTime>(entry.key), entry.place});
        }
    return timing;
}

} // namespace levee::config
