// SPDX-License-Identifier: Apache-2.0
// The machines that a price list is for.
#include "platform/observe/energy/price_list.hpp"

#include <algorithm>

namespace levee::energy {

namespace {

using config::Dimension;

/// Whether a value of a list, `a`, is that of a scenario: as a text, the beginning of one before a
/// `*`, or a number with its unit.
bool same(const std::string& a, const std::string& b)
{
    if (a == b || (a.ends_with('*') && b.starts_with(a.substr(0, a.size() - 1))))
        return true;
    for (const Dimension dimension : {Dimension::Count, Dimension::Size, Dimension::Bandwidth,
                                      Dimension::Frequency, Dimension::Time}) {
        const config::QuantityResult left = config::parse_quantity(a, dimension);
        const config::QuantityResult right = config::parse_quantity(b, dimension);
        if (left.error.empty() && right.error.empty())
            return left.value == right.value;
    }
    return false;
}

/// The value at a path such as `standard.standard`; null if there is none.
const config::Node* find(const config::Node& node, const std::string& path)
{
    const std::size_t dot = path.find('.');
    const config::Node* const value = node.find(path.substr(0, dot));
    return value == nullptr || dot == std::string::npos ? value
                                                        : find(*value, path.substr(dot + 1));
}

std::string joined(const std::vector<std::string>& values)
{
    std::string text;
    for (const std::string& value : values)
        text += (text.empty() ? "" : " or ") + value;
    return text;
}

} // namespace

std::vector<std::string> PriceList::outside(std::span<const config::Component> components) const
{
    std::vector<std::string> found;
    for (const config::Component& component : components)
        for (const Scope& scope : scopes_) {
            if (scope.type != component.type)
                continue;
            const config::Node* const value = find(component.node, scope.key);
            if (value == nullptr || !value->is_scalar() ||
                std::ranges::any_of(scope.values, [&](const std::string& known) {
                    return same(known, value->scalar);
                }))
                continue;
            found.push_back(component.name + "." + scope.key + " is " + value->scalar + ", not " +
                            joined(scope.values));
        }
    return found;
}

} // namespace levee::energy
