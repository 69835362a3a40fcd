// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_list.hpp"

#include "platform/observe/energy/price_list_reader.hpp"

#include <algorithm>

namespace levee::energy {

using config::Error;

namespace {

constexpr std::uint64_t zeptojoules_per_attojoule = 1000;

/// Returns one component's part of a value that covers all components of its type together.
/// Memories share it in proportion to their sizes, other components equally.
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

} // namespace

PriceList::PriceList(const config::Node& node, const std::string& path, Types types, Bound bound)
    : path_(path), bound_(bound)
{
    Reader{*this, types}.read(node);
}

const PriceList& PriceList::list_of(const std::string& type) const
{
    const auto found = lists_.find(type);
    return found != lists_.end() ? found->second : *this;
}

const PriceList::TypePrices& PriceList::prices_of(const Consumer& component,
                                                  const std::string& event) const
{
    const auto found = types_.find(component.type);
    if (found != types_.end())
        return found->second;
    throw Error(place_, "'" + path_ + ".prices' has no entry for the type '" + component.type +
                            "', but '" + component.name + "' has '" + event +
                            "'; expected prices for the type, or 'unpriced: REASON'");
}

bool PriceList::is_by_command(const std::string& type) const
{
    const auto& types = list_of(type).types_;
    const auto found = types.find(type);
    return found != types.end() && found->second.by_command;
}

bool PriceList::charges(const std::string& type, const std::string& event) const
{
    const auto& types = list_of(type).types_;
    const auto found = types.find(type);
    return found == types.end() || !found->second.not_charged.contains(event);
}

Rate PriceList::by_datasheet(const TypePrices& prices, const Consumer& component,
                             const std::string& event) const
{
    if (component.price_commands) {
        const CommandPrices all =
            component.price_commands(*prices.datasheets, prices.datasheets_path);
        const std::uint64_t part = bound_ == Bound::Low    ? all.low
                                   : bound_ == Bound::High ? all.high
                                                           : CommandPrices::whole;
        for (const EventPrice& price : all.events)
            if (event == price.event->name)
                return Rate{price.zeptojoules, 1}
                    .times(1, price.count)
                    .times(1, zeptojoules_per_attojoule)
                    .times(part, CommandPrices::whole);
    }
    throw Error(prices.place, "'" + prices.datasheets_path + "' has no price for '" + event +
                                  "', which '" + component.name + "' has");
}

std::optional<CommandPrices> PriceList::by_datasheets(const Consumer& component) const
{
    const auto& types = list_of(component.type).types_;
    const auto found = types.find(component.type);
    if (found == types.end() || !found->second.datasheets || !component.price_commands)
        return std::nullopt;
    return component.price_commands(*found->second.datasheets, found->second.datasheets_path);
}

std::string PriceList::assumed(const Consumer& component) const
{
    const std::optional<CommandPrices> prices = by_datasheets(component);
    return prices ? prices->assumed : "";
}

bool PriceList::is_uncertain(std::span<const Consumer> components) const
{
    return has_interval_ || std::ranges::any_of(components, [this](const Consumer& component) {
               const std::optional<CommandPrices> prices = by_datasheets(component);
               return prices && prices->low != prices->high;
           });
}

Rate PriceList::rate(const Consumer& component, const std::string& event) const
{
    if (const PriceList& other = list_of(component.type); &other != this)
        return other.rate(component, event);
    const TypePrices& prices = prices_of(component, event);
    if (prices.not_charged.contains(event))
        return {};
    if (prices.datasheets)
        return by_datasheet(prices, component, event);
    if (const auto found = prices.events.find(event); found != prices.events.end()) {
        const auto scale = prices.scales.find(event);
        return scale == prices.scales.end() ? found->second
                                            : scale->second.apply(found->second, component);
    }
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
    if (const PriceList& other = list_of(component.type); &other != this)
        return other.power(component, all);
    if (!component.has_units)
        return {};
    if (shares(chip_power_, component.type))
        return of_chip(chip_power_, &TypePrices::power, component, all);
    const TypePrices& prices = prices_of(component, "static");
    if (prices.datasheets) // datasheet prices already include standby power
        return {};
    if (prices.power)
        return sized(*prices.power, component, all);
    return rate(component, "static");
}

std::optional<Area> PriceList::area(const Consumer& component, std::span<const Consumer> all) const
{
    if (const PriceList& other = list_of(component.type); &other != this)
        return other.area(component, all);
    if (!component.has_units)
        return std::nullopt;
    if (shares(chip_area_, component.type))
        return of_chip(chip_area_, &TypePrices::area, component, all);
    const auto found = types_.find(component.type);
    if (found == types_.end() || !found->second.area)
        return std::nullopt;
    return sized(*found->second.area, component, all);
}

Rate PriceList::by_parameters(const Stated& stated, const Consumer& component) const
{
    Rate amount = stated.amount;
    for (const auto& [name, reference] : stated.per_parameters) {
        const std::string& text =
            component.parameter(name, stated.place, path_ + ".prices." + component.type);
        const std::optional<Quantity> own = quantity_in(text);
        if (!own || own->dimension != reference.dimension)
            throw Error(stated.place, "'" + path_ + ".prices." + component.type +
                                          "' is scaled by '" + name + "', and '" + component.name +
                                          "' has '" + text +
                                          "' for it; expected a number with the same unit");
        amount = amount.times(own->value, reference.value);
    }
    return amount;
}

Rate PriceList::sized(const Stated& stated, const Consumer& component,
                      std::span<const Consumer> all) const
{
    Rate sum = one_sized(stated, component, all);
    for (const Stated& other : stated.others)
        sum = sum + one_sized(other, component, all);
    return sum;
}

Rate PriceList::one_sized(const Stated& stated, const Consumer& component,
                          std::span<const Consumer> all) const
{
    const Rate& amount = stated.amount;
    if (stated.scale)
        return stated.scale->apply(amount, component);
    if (stated.per_bytes != 0)
        return amount.times(component.size_bytes, stated.per_bytes);
    if (!stated.per_parameters.empty())
        return by_parameters(stated, component);
    if (stated.per_um2 == 0)
        return amount;
    const std::optional<Area> its = area(component, all);
    if (!its)
        throw Error(prices_of(component, "static").place,
                    "'" + path_ + ".prices." + component.type +
                        ".static' is by area, but the list has no area of '" + component.name +
                        "'; expected one");
    return amount.times(1, stated.per_um2) * *its;
}

/// Returns a component's part of its type's share of the chip. Values that the list states for
/// types `within` this type are subtracted first.
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
            const Rate own = sized(*inner, other, all);
            if (share < own)
                throw Error(prices.place, "'" + path_ + ".prices." + type + "': the share of '" +
                                              other.name + "' within '" + component.type +
                                              "' is more than the whole share of that type");
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
