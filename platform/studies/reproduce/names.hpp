// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace levee::reproduce {

template <typename List> std::vector<std::string> names_of(const List& list)
{
    std::vector<std::string> names;
    for (const auto& one : list)
        names.push_back(one.name);
    return names;
}

template <typename List> std::vector<std::string> ids_of(const List& list)
{
    std::vector<std::string> ids;
    for (const auto& one : list)
        ids.push_back(one.id);
    return ids;
}

template <typename Map> std::vector<std::string> keys_of(const Map& map)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : map)
        names.push_back(name);
    return names;
}

/// Throws config::Error with the nearest known name if `name` is unknown.
inline void check_name(const config::Place& place, const std::string& what, const std::string& name,
                       const std::vector<std::string>& known)
{
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw config::Error(place, "there is no " + what + " '" + name + "'" +
                                       config::suggestion(name, known));
}

} // namespace levee::reproduce
