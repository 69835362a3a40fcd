// SPDX-License-Identifier: Apache-2.0
#include "core/abi/boot_info.h"
#include "platform/machine/assembly/plan.hpp"

#include <algorithm>

namespace levee {

namespace {

using config::Error;
using config::Node;

const char* const why = ": memories with the role 'model' are interleaved, so they must be equal";

std::string path_of(const PlannedComponent& memory)
{
    return "system.memories." + memory.name;
}

std::string in_quotes(const std::string& text)
{
    return "'" + text + "'";
}

std::string shown(const Node& node)
{
    return node.is_scalar() ? in_quotes(node.scalar) : std::string(node.kind_name());
}

/// Throws config::Error unless `node` has all keys of `like`.
void check_has_keys(const Node& node, const std::string& path, const Node& like,
                    const std::string& like_path)
{
    for (const Node::Entry& entry : like.entries)
        if (node.find(entry.key) == nullptr)
            throw Error(node.place, in_quotes(path) + " lacks the key " + in_quotes(entry.key) +
                                        ", which " + in_quotes(like_path) +
                                        " has; expected the same" + why);
}

/// Throws config::Error unless both trees are equal, except for the order of keys. For messages,
/// `like` is the path of `first` in the scenario, and `path` is the path of `other`.
void check_alike(const Node& first, const std::string& like, const Node& other,
                 const std::string& path)
{
    if (first.kind != other.kind || first.scalar != other.scalar ||
        first.items.size() != other.items.size())
        throw Error(other.place, in_quotes(path) + " is " + shown(other) + " and " +
                                     in_quotes(like) + " " + shown(first) + "; expected the same" +
                                     why);
    for (std::size_t i = 0; i < first.items.size(); ++i) {
        const std::string index = "." + std::to_string(i);
        check_alike(first.items[i], like + index, other.items[i], path + index);
    }
    // Common keys are compared first. If the keys differ because `type` differs, the message should
    // name `type` instead of the missing keys.
    for (const Node::Entry& entry : other.entries)
        if (const Node* const same = first.find(entry.key))
            check_alike(*same, like + "." + entry.key, entry.value, path + "." + entry.key);
    check_has_keys(other, path, first, like);
    check_has_keys(first, like, other, path);
}

void check_roles(const PlannedComponent& first, const PlannedComponent& other)
{
    if (first.roles != other.roles)
        throw Error(other.place, in_quotes(path_of(other)) + " has the roles [" +
                                     role_names(other.roles) + "] and " +
                                     in_quotes(path_of(first)) + " [" + role_names(first.roles) +
                                     "]; expected the same" + why);
}

/// Returns a memory's configuration without its roles, which check_roles() compares in any order.
Node without_roles(Node node)
{
    std::erase_if(node.entries, [](const Node::Entry& entry) { return entry.key == "roles"; });
    return node;
}

void check_type(const PlannedComponent& memory)
{
    if (memory.plan.placement.place == MemoryPlace::TightlyCoupled ||
        memory.declaration().number != 0)
        throw Error(memory.place,
                    in_quotes(path_of(memory)) + " is of type '" + memory.type->name() +
                        "', which cannot be interleaved, but several memories have the "
                        "role 'model'; expected one memory with this role, or "
                        "types without registers");
}

void check_granule(const config::BusConfig& bus, const PlannedComponent& memory)
{
    const auto text = [](std::uint64_t bytes) {
        return config::format_quantity(bytes, config::Dimension::Size);
    };
    if (memory.plan.placement.size_bytes % bus.interleave_bytes != 0)
        throw Error(bus.interleave_place, "'system.bus.interleave' is " +
                                              text(bus.interleave_bytes) + " and the interleaved " +
                                              in_quotes(path_of(memory)) + " has " +
                                              text(memory.plan.placement.size_bytes) +
                                              "; expected a size that divides it");
}

} // namespace

unsigned SystemPlan::ways_at(std::size_t memory) const
{
    if (!interleave)
        return 1;
    const auto at = std::ranges::find(interleave->memories, memory);
    if (at == interleave->memories.end())
        return 1;
    return at == interleave->memories.begin() ? interleave->division.ways() : 0;
}

std::optional<InterleavePlan> plan_interleave(const config::SystemConfig& config,
                                              const std::vector<PlannedComponent>& memories)
{
    std::vector<std::size_t> ways;
    for (std::size_t i = 0; i < memories.size(); ++i)
        if (memories[i].roles & LEVEE_ROLE_MODEL)
            ways.push_back(i);
    if (ways.size() < 2)
        return std::nullopt;
    const PlannedComponent& first = memories[ways.front()];
    const Node like = without_roles(config.memories[ways.front()].node);
    for (const std::size_t way : ways) {
        check_type(memories[way]);
        check_roles(first, memories[way]);
        check_alike(like, path_of(first), without_roles(config.memories[way].node),
                    path_of(memories[way]));
    }
    check_granule(config.bus, first);
    return InterleavePlan{ways, {static_cast<unsigned>(ways.size()), config.bus.interleave_bytes}};
}

} // namespace levee
