// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/refresh_warnings.hpp"

#include "ip/edram/regs.h"
#include "platform/input/config/quantity.hpp"
#include "platform/input/config/reader.hpp"
#include "platform/observe/report/versions.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace levee {

namespace {

using config::Dimension;
using config::Node;

constexpr std::array group_names{"high_msb", "high_lsb", "low_msb", "low_lsb"};
static_assert(group_names.size() == LEVEE_EDRAM_GROUPS);

struct Interval {
    std::uint64_t ps;
    const char* group;
};

std::string text_of(std::uint64_t ps)
{
    return config::format_quantity(ps, Dimension::Time);
}

std::uint64_t time_of(const Node& node)
{
    return config::parse_quantity(node.scalar, Dimension::Time).value;
}

bool has_role(const Node& memory, std::string_view role)
{
    const Node* const roles = memory.find("roles");
    return roles != nullptr &&
           std::ranges::any_of(roles->items, [&](const Node& item) { return item.scalar == role; });
}

/// The longest interval that a group of the memory has: firmware's choice, or else the memory's.
Interval longest_interval(const config::Scenario& scenario, const Node& memory)
{
    const Node& own = *memory.find("intervals");
    const bool runs = scenario.workload.has_value();
    Interval longest{0, group_names[0]};
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group) {
        std::uint64_t chosen = 0;
        if (runs && has_role(memory, "kv"))
            chosen = scenario.kv_cache.refresh_ps[group];
        else if (runs && has_role(memory, "activations"))
            chosen = scenario.kv_cache.activation_refresh_ps;
        if (chosen == 0 && own.is_map() && own.find(group_names[group]) != nullptr)
            chosen = time_of(*own.find(group_names[group]));
        else if (chosen == 0)
            chosen = time_of(own);
        if (chosen > longest.ps)
            longest = {chosen, group_names[group]};
    }
    return longest;
}

/// The age until which no cell fails, for memories without a curve.
std::uint64_t retention_time()
{
    const Node file = config::load_yaml(std::filesystem::path(scenarios_folder()) /
                                        "tech/edram/retention_time.yaml");
    config::MapReader reader(file, "");
    const std::uint64_t time = reader.quantity("retention_time", Dimension::Time);
    reader.finish();
    return time;
}

/// The age of a curve's last point; nothing where the memory has no curve.
std::optional<std::uint64_t> end_of_curve(const Node& memory)
{
    const Node* const retention = memory.find("retention");
    const Node* const curve = retention ? retention->find("curve") : nullptr;
    if (curve == nullptr || curve->items.empty() || curve->items.back().items.empty())
        return std::nullopt;
    return time_of(curve->items.back().items.front());
}

} // namespace

std::vector<std::string> refresh_warnings(const config::Scenario& scenario)
{
    std::vector<std::string> warnings;
    for (const config::Component& memory : scenario.system.memories) {
        if (memory.node.find("intervals") == nullptr)
            continue;
        const Interval longest = longest_interval(scenario, memory.node);
        const std::string refreshed = memory.name + " is refreshed every " + text_of(longest.ps) +
                                      " (" + longest.group + "), ";
        if (const auto end = end_of_curve(memory.node)) {
            if (longest.ps > *end)
                warnings.push_back(refreshed + "beyond the end of its retention curve at " +
                                   text_of(*end) + ": what lies behind it is not known");
        } else if (const std::uint64_t safe = retention_time(); longest.ps > safe) {
            warnings.push_back(refreshed + "cells fail from " + text_of(safe) +
                               " on, and it has no 'retention': none fails here");
        }
    }
    return warnings;
}

} // namespace levee
