// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/filter.hpp"

namespace levee::sweep {

namespace {

std::optional<std::string> text_in(const config::Node& tree, const std::string& key)
{
    const config::Node* node = &tree;
    for (std::size_t begin = 0; node != nullptr;) {
        const std::size_t dot = key.find('.', begin);
        node = node->is_map() ? node->find(key.substr(begin, dot - begin)) : nullptr;
        if (dot == std::string::npos)
            break;
        begin = dot + 1;
    }
    return node != nullptr && node->is_scalar() ? std::optional(node->scalar) : std::nullopt;
}

} // namespace

bool Filter::operator()(const Point& point) const
{
    std::optional<config::Node> tree;
    bool composed = true;
    const TextOf text_of = [&](const std::string& name) -> std::optional<std::string> {
        for (std::size_t i = 0; i < axes_.size(); ++i)
            if (axes_[i].name == name)
                return point.at[i].label.empty() ? std::nullopt : std::optional(point.at[i].label);
        if (!tree && composed)
            composed = compose(point, tree);
        return tree ? text_in(*tree, name) : std::nullopt;
    };
    for (const Condition& condition : conditions_)
        if (const bool holds = condition.holds(text_of); !holds && composed)
            return false;
    return true;
}

bool Filter::compose(const Point& point, std::optional<config::Node>& tree) const
{
    std::vector<std::string> all = common_;
    all.insert(all.end(), point.overrides.begin(), point.overrides.end());
    try {
        tree = source_.composed(all);
    } catch (const config::Error&) {
        return false;
    }
    return true;
}

} // namespace levee::sweep
