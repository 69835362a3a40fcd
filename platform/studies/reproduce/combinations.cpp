// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/combinations.hpp"

#include <algorithm>

namespace levee::reproduce {

namespace {

using config::Error;
using config::Node;

std::vector<std::string> names_of_axes(const Axes& axes)
{
    std::vector<std::string> names;
    for (const auto& [name, values] : axes)
        names.push_back(name);
    return names;
}

std::vector<std::string> values_of(const Node::Entry& entry, const Axes& axes)
{
    std::vector<std::string> values;
    if (entry.value.is_scalar() && entry.value.scalar == "all") {
        const auto axis = axes.find(entry.key);
        if (axis == axes.end())
            throw Error(entry.place, "there is no axis '" + entry.key + "'" +
                                         config::suggestion(entry.key, names_of_axes(axes)));
        for (const sweep::Point& value : axis->second)
            values.push_back(value.name);
        return values;
    }
    if (!entry.value.is_list() || entry.value.items.empty())
        throw Error(entry.value.place, "'over." + entry.key + "' is " +
                                           std::string(entry.value.kind_name()) +
                                           "; expected a list of values, or all");
    for (const Node& item : entry.value.items) {
        if (!item.is_scalar())
            throw Error(item.place, "a value of 'over." + entry.key + "' is " +
                                        std::string(item.kind_name()) + "; expected a name");
        values.push_back(item.scalar);
    }
    return values;
}

std::string substitute(std::string text, const Combination& combination)
{
    for (const auto& [name, value] : combination) {
        const std::string mark = "{" + name + "}";
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;
             at += value.size())
            text.replace(at, mark.size(), value);
    }
    return text;
}

} // namespace

std::vector<Combination> read_over(config::MapReader& reader, const Axes& axes)
{
    std::vector<Combination> combinations{{}};
    const Node* over = reader.raw("over", false);
    if (over == nullptr)
        return combinations;
    if (!over->is_map() || over->entries.empty())
        throw reader.error("over", "is " + std::string(over->kind_name()) +
                                       "; expected names, each with a list of values, or all");
    for (const Node::Entry& entry : over->entries) {
        std::vector<Combination> longer;
        for (const Combination& combination : combinations)
            for (const std::string& value : values_of(entry, axes)) {
                longer.push_back(combination);
                longer.back().emplace_back(entry.key, value);
            }
        combinations = std::move(longer);
    }
    return combinations;
}

sweep::Expression parse_with(const Node& expression, const Combination& combination)
{
    if (!expression.is_scalar())
        return sweep::parse_sum(expression);
    Node filled = expression;
    filled.scalar = substitute(expression.scalar, combination);
    const std::size_t open = filled.scalar.find('{');
    if (open != std::string::npos)
        throw Error(expression.place, "'" + filled.scalar.substr(open) +
                                          "' is not defined; expected a name from `over`");
    return sweep::parse_sum(filled);
}

} // namespace levee::reproduce
