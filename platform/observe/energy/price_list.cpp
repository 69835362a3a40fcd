// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_list.hpp"

#include "platform/observe/energy/price_list_reader.hpp"

#include <algorithm>

namespace levee::energy {

using config::Error;

namespace {

/// One component's part of a value stated for its type: by size, where components have one.
Rate part_of(const Rate& whole, const Consumer& component, std::span<const Consumer> all)
{
    std::uint64_t bytes = 0, instances = 0;
    for (const Consumer& other : all)
        if (other.type == component.type && other.has_units) {
            bytes += other.size_bytes;
            ++instances;
        }
    return bytes > 0 ? whole.times(component.size_bytes, bytes) : whole.times(1, instances);
}

bool is_there(const std::string& type, std::span<const Consumer> all)
{
    return std::any_of(all.begin(), all.end(),
                       [&](const Consumer& component) { return component.type == type; });
}

Rate sized(const Rate& amount, std::uint64_t per_bytes, const Consumer& component)
{
    return per_bytes == 0 ? amount : amount.times(component.size_bytes, per_bytes);
}

} // namespace

PriceList::PriceList(const config::Node& node, const std::string& path, Types types) : path_(path)
{
    Reader{*this, types}.read(node);
}

const PriceList::TypePrices& PriceList::prices_of(const Consumer& component,
                                                  const std::string& event) const
{
    const auto found = types_.find(component.type);
    if (found != types_.end())
        return found->second;
    throw Error(place_, "'" + path_ + ".prices' has nothing for the type '" + component.type +
                            "', and '" + component.name + "' has '" + event +
                            "'; expected its prices, or 'unpriced: REASON'");
}

Rate PriceList::rate(const Consumer& component, const std::string& event) const
{
    const TypePrices& prices = prices_of(component, event);
    if (const auto found = prices.events.find(event); found != prices.events.end())
        return found->second;
    if (prices.nothing_else || prices.without_price.contains(event))
        return {};
    std::vector<std::string> known;
    for (const auto& [name, rate] : prices.events)
        known.push_back(name);
    const std::string near = config::nearest(event, known);
    throw Error(prices.place, "'" + path_ + ".prices." + component.type + "' has no price for '" +
                                  event + "', which '" + component.name + "' has; expected one" +
                                  (near.empty() ? "" : " (there is '" + near + "')") + ", or '" +
                                  event + ": {unpriced: REASON}'");
}

Rate PriceList::power(const Consumer& component, std::span<const Consumer> all) const
{
    if (!component.has_units)
        return {};
    if (shares(chip_power_, component.type))
        return of_chip(chip_power_, &TypePrices::power, component, all);
    const TypePrices& prices = prices_of(component, "static");
    if (prices.power)
        return sized(prices.power->amount, prices.power->per_bytes, component);
    return rate(component, "static");
}

std::optional<Area> PriceList::area(const Consumer& component, std::span<const Consumer> all) const
{
    if (!component.has_units)
        return std::nullopt;
    if (shares(chip_area_, component.type))
        return of_chip(chip_area_, &TypePrices::area, component, all);
    const auto found = types_.find(component.type);
    if (found == types_.end() || !found->second.area)
        return std::nullopt;
    return sized(found->second.area->amount, found->second.area->per_bytes, component);
}

/// The component's part of its type's share, minus the components within it that have a value of
/// their own.
Rate PriceList::of_chip(const std::optional<Chip>& chip, std::optional<Stated> TypePrices::*stated,
                        const Consumer& component, std::span<const Consumer> all) const
{
    Rate share = chip->amount.times(chip->percent.at(component.type), 100);
    for (const auto& [type, prices] : types_) {
        const std::optional<Stated>& inner = prices.*stated;
        if (!inner || inner->within != component.type)
            continue;
        for (const Consumer& other : all) {
            if (other.type != type || !other.has_units)
                continue;
            const Rate own = sized(inner->amount, inner->per_bytes, other);
            if (share < own)
                throw Error(prices.place, "'" + path_ + ".prices." + type + "': what '" +
                                              other.name + "' has within '" + component.type +
                                              "' is more than that has");
            share = share - own;
        }
    }
    return part_of(share, component, all);
}

Rate PriceList::rest(const std::optional<Chip>& chip, std::span<const Consumer> all) const
{
    if (!chip)
        return {};
    std::uint64_t percent = 100;
    for (const auto& [type, share] : chip->percent)
        percent -= is_there(type, all) ? share : 0;
    return chip->amount.times(percent, 100);
}

Rate PriceList::rest_of_power(std::span<const Consumer> all) const
{
    return rest(chip_power_, all);
}

Area PriceList::rest_of_area(std::span<const Consumer> all) const
{
    return rest(chip_area_, all);
}

} // namespace levee::energy
