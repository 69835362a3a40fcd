// SPDX-License-Identifier: Apache-2.0
#include "platform/run/said_place.hpp"

#include <array>

namespace levee {

namespace {

constexpr std::array sections{"workload", "kv_cache"};

/// Returns the place of the deepest key on `path` that the scenario gives. Returns nothing if the
/// scenario gives no key of the path below its first section.
std::optional<config::Place> place_of(const config::Node& scenario, std::string_view path)
{
    const config::Node* node = &scenario;
    std::size_t depth = 0;
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        const config::Node* const next = node->find(path.substr(0, dot));
        if (next == nullptr)
            break;
        node = next;
        ++depth;
        path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    }
    return depth > 1 ? std::optional(node->place) : std::nullopt;
}

} // namespace

std::optional<config::Place> place_of_said_key(const config::Node& scenario,
                                               std::string_view message)
{
    constexpr std::string_view in_names = "abcdefghijklmnopqrstuvwxyz0123456789_";
    while (!message.empty()) {
        const std::size_t begin = message.find_first_of(in_names);
        if (begin == std::string_view::npos)
            break;
        message.remove_prefix(begin);
        std::size_t end = 0;
        do
            end = message.find_first_not_of(in_names, end + 1);
        while (end != std::string_view::npos && message[end] == '.' && end + 1 < message.size() &&
               in_names.find(message[end + 1]) != std::string_view::npos);
        const std::string_view path = message.substr(0, end);
        for (const std::string_view section : sections)
            if (path.starts_with(section))
                if (const auto place = place_of(scenario, path))
                    return place;
        message.remove_prefix(path.size());
    }
    return std::nullopt;
}

} // namespace levee
