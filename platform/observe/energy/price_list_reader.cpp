// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_list_reader.hpp"

#include "core/config/file_finder.hpp"
#include "platform/observe/energy/price_keys.hpp"

#include <algorithm>

namespace levee::energy {

using config::Dimension;
using config::Error;
using config::MapReader;
using config::Node;

namespace {

constexpr std::uint64_t picowatts_per_attojoule_per_ps = 1'000'000;

std::vector<std::string> names_of_events(const Declaration& type)
{
    std::vector<std::string> names;
    for (const EnergyEvent& event : type.events)
        names.push_back(event.name);
    if (type.stores)
        names.push_back(access_key);
    if (type.datasheet != nullptr)
        names.emplace_back(type.datasheet->name);
    return names;
}

/// Returns the type's event with this name. If there is none, returns the read event.
const EnergyEvent& event_of(const Declaration& type, const std::string& name)
{
    const auto found = std::ranges::find(type.events, name, &EnergyEvent::name);
    return found != type.events.end() ? *found : read_event;
}

std::string file_of(const Node& node)
{
    return node.place.file ? *node.place.file : std::string();
}

/// Returns whether a price cancels the `reason` for having no prices. It does if it is from a list
/// that extends the reason's list.
bool extends_reason(const Node::Entry& price, const Node& reason, const Node& map)
{
    if (price.key == "source" || config::is_override(reason.place))
        return false;
    return file_of(price.value) != file_of(reason) &&
           (file_of(price.value) == file_of(map) || config::is_override(price.value.place));
}

/// Returns whether an event has no price: it has a reason in `unpriced`, which also removes a
/// price inherited through `extends`. `unpriced: none` cancels the reason, and so does a price in a
/// list that extends the reason's list.
bool is_unpriced(const Node& node)
{
    const Node* reason = node.is_map() ? node.find("unpriced") : nullptr;
    if (reason == nullptr || (reason->is_scalar() && reason->scalar == no_reason))
        return false;
    return std::ranges::none_of(node.entries, [&](const Node::Entry& entry) {
        return extends_reason(entry, *reason, node);
    });
}

void check_reason(MapReader& reader, const std::string& key, const std::string& what)
{
    if (reader.string(key).empty())
        throw reader.error(key, "is empty; expected " + what);
}

/// Checks that a price has a source. With `has_source`, the entry states one source for all its
/// prices.
void need_source(MapReader& reader, bool has_source)
{
    if (reader.has("source"))
        check_reason(reader, "source", "the price's origin");
    else if (!has_source)
        throw Error(reader.node().place,
                    "'" + reader.path() +
                        "' has no source; expected 'source:' here or at the entry");
}

/// Converts the price of one unit to the price of one byte; nothing if the unit is unknown.
std::optional<Rate> by_unit(const Rate& amount, std::string_view text, std::uint32_t row_bytes)
{
    const auto word = std::ranges::find(per_words, text, &config::Word::text);
    if (word == std::end(per_words))
        return std::nullopt;
    switch (static_cast<PerUnit>(word->value)) {
    case PerUnit::Bit:
        return amount.times(8, 1);
    case PerUnit::Byte:
        return amount;
    case PerUnit::Row:
        break;
    }
    return row_bytes != 0 ? std::optional(amount.times(1, row_bytes)) : std::nullopt;
}

/// Reads `per:` for an event that is counted in bytes, and converts the amount to the price of one
/// byte.
Rate per_byte(MapReader& reader, const Rate& amount, std::uint32_t row_bytes)
{
    const Node* per = reader.raw("per", true);
    if (per == nullptr)
        return amount;
    const std::string text = reader.string("per");
    if (const std::optional<Rate> price = by_unit(amount, text, row_bytes))
        return *price;
    const config::QuantityResult size = config::parse_quantity(text, Dimension::Size);
    if (!size.error.empty() || size.value == 0)
        throw reader.error("per", "is '" + text + "'; expected bit, byte" +
                                      (row_bytes != 0 ? ", row" : "") +
                                      " or a size such as '16 B'");
    return amount.times(1, size.value);
}

} // namespace

std::vector<std::string> PriceList::Reader::type_names() const
{
    std::vector<std::string> names;
    for (const Declaration* type : types)
        names.push_back(type->type);
    return names;
}

std::uint64_t PriceList::Reader::read_price(MapReader& reader, const std::string& key,
                                            Dimension dimension) const
{
    const std::uint64_t value = reader.quantity(key, dimension);
    if (dimension == Dimension::Area)
        return value;
    const auto bound = [&](const char* name, const char* expected, const auto& fits) {
        if (!reader.has(name))
            return value;
        const std::uint64_t its = reader.quantity(name, dimension);
        if (!fits(its))
            throw reader.error(name, "is " + config::format_quantity(its, dimension) +
                                         "; expected " + expected + " the " + key + ", " +
                                         config::format_quantity(value, dimension));
        list.has_interval_ = list.has_interval_ || its != value;
        return its;
    };
    const std::uint64_t low =
        bound("low", "at most", [value](std::uint64_t its) { return its <= value; });
    const std::uint64_t high =
        bound("high", "at least", [value](std::uint64_t its) { return its >= value; });
    return list.bound_ == Bound::Low ? low : list.bound_ == Bound::High ? high : value;
}

namespace {

/// Throws Error for a value that is no price list, such as the content of another kind of
/// file.
void check_is_list(const Node& node, const std::string& path)
{
    constexpr const char* expected = "expected a price list with 'name' and 'prices', such as "
                                     "tech/energy/kelle_events.yaml";
    if (!node.is_map())
        throw Error(node.place, "'" + path + "' is " +
                                    (node.is_scalar() ? config::in_quotes(node.scalar)
                                                      : std::string(node.kind_name())) +
                                    "; " + expected);
    std::vector<std::string> known;
    for (const config::Key& key : price_list_keys)
        known.emplace_back(key.name);
    const bool has_other = std::ranges::any_of(node.entries, [&](const Node::Entry& entry) {
        return std::ranges::find(known, entry.key) == known.end() &&
               config::nearest(entry.key, known).empty();
    });
    if (!node.find("prices") && (has_other || !node.find("name")))
        throw Error(node.place, "'" + path + "' has no 'prices' here; " + expected);
}

} // namespace

void PriceList::Reader::read(const Node& node)
{
    check_is_list(node, list.path_);
    MapReader reader(node, list.path_, price_list_keys);
    list.place_ = node.place;
    list.name_ = reader.string("name");
    if (list.name_.empty() ||
        list.name_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
        throw reader.error("name",
                           "is '" + list.name_ + "'; expected lower-case letters, digits and _");
    if (const Node* machines = reader.raw("for", false))
        list.scope_ = PriceScope(*machines, list.path_ + ".for", types);
    if (const Node* prices = reader.raw("prices", true))
        read_types(*prices);
    if (const Node* lists = reader.raw("lists", false))
        read_lists(*lists);
    if (const Node* power = reader.raw("chip_power", false))
        list.chip_power_ = read_chip(*power, list.path_ + ".chip_power", "power", Dimension::Power);
    if (const Node* area = reader.raw("chip_area", false))
        list.chip_area_ = read_chip(*area, list.path_ + ".chip_area", "area", Dimension::Area);
    reader.finish();
    for (const auto& [type, prices] : list.types_)
        for (const auto& [chip, stated, what] :
             {std::tuple{&list.chip_power_, &prices.power, "static"},
              std::tuple{&list.chip_area_, &prices.area, "area"}})
            if (*stated && list.shares(*chip, type))
                throw Error(prices.place,
                            "'" + list.path_ + ".prices." + type + "." + what +
                                "' is given in addition to the type's share of the chip's "
                                "figure; expected one of them");
}

void PriceList::Reader::read_types(const Node& node)
{
    const std::string path = list.path_ + ".prices";
    if (!node.is_map())
        throw Error(node.place, "'" + path + "' is " + std::string(node.kind_name()) +
                                    "; expected a map from types of components to prices");
    for (const Node::Entry& entry : node.entries) {
        const std::string at = path + "." + entry.key;
        list.types_[entry.key] = read_type(entry.value, at, type_called(types, entry, at));
    }
}

/// Reads `lists:`, which names other lists for some types. For these types, the named lists' prices
/// replace the prices of this list and of the lists that it extends.
void PriceList::Reader::read_lists(const Node& node)
{
    const std::string path = list.path_ + ".lists";
    if (!node.is_map())
        throw Error(node.place, "'" + path + "' is " + std::string(node.kind_name()) +
                                    "; expected a map from types of components to price lists");
    for (const Node::Entry& entry : node.entries) {
        const std::string at = path + "." + entry.key;
        (void)type_called(types, entry, at);
        if (!entry.value.is_map())
            throw Error(entry.value.place, "'" + at + "' is " +
                                               std::string(entry.value.kind_name()) +
                                               "; expected a price list, a .yaml file");
        PriceList other(entry.value, at, types, list.bound_);
        if (!other.lists_.empty())
            throw Error(entry.value.place, "'" + at +
                                               "' has the key 'lists' itself; expected a list "
                                               "without it, because lists are not nested");
        if (!other.types_.contains(entry.key))
            throw Error(entry.value.place, "'" + at + "' is '" + other.name_ +
                                               "', which has nothing for this type; expected a "
                                               "list with 'prices." +
                                               entry.key + "'");
        list.has_interval_ = list.has_interval_ || other.has_interval_;
        list.types_.erase(entry.key);
        list.scope_.replace(entry.key, other.scope_);
        list.lists_.emplace(entry.key, std::move(other));
    }
}

PriceList::TypePrices PriceList::Reader::read_type(const Node& node, const std::string& path,
                                                   const Declaration& type) const
{
    MapReader reader(node, path, price_keys_of(type));
    TypePrices prices;
    prices.place = node.place;
    const bool has_source = reader.has("source");
    if (has_source)
        check_reason(reader, "source", "the price's origin");
    if (reader.has("unpriced"))
        check_reason(reader, "unpriced", "the reason");
    prices.nothing_else = reader.string("unpriced") != no_reason;
    for (const Node::Entry& entry : node.entries)
        if (entry.key != "source" && entry.key != "unpriced")
            read_entry(entry, path, type, has_source, prices);
    choose_basis(path, type, prices);
    return prices;
}

/// Decides whether a type is charged for its bytes or for its commands. Charging for both is an
/// error.
void PriceList::Reader::choose_basis(const std::string& path, const Declaration& type,
                                     TypePrices& prices)
{
    std::string bytes, commands = prices.datasheets ? type.datasheet->name : "";
    for (const EnergyEvent& event : type.events)
        if (prices.events.contains(event.name) &&
            (event.by_command || event.unit == EnergyEvent::Unit::Byte))
            (event.by_command ? commands : bytes) = event.name;
    if (prices.datasheets && (commands != type.datasheet->name || prices.power))
        throw Error(prices.place, "'" + path + "' has both '" + type.datasheet->name + "' and '" +
                                      (prices.power ? "static" : commands) + "', but '" +
                                      type.datasheet->name +
                                      "' already includes the other; expected one of them");
    if (!bytes.empty() && !commands.empty())
        throw Error(prices.place, "'" + path + "' prices bytes ('" + bytes + "') and commands ('" +
                                      commands +
                                      "'), which count the same work; expected only one of them");
    prices.by_command = !commands.empty();
    for (const EnergyEvent& event : type.events)
        if (event.by_command != prices.by_command &&
            (event.by_command || event.unit == EnergyEvent::Unit::Byte))
            prices.not_charged.insert(event.name);
}

void PriceList::Reader::read_entry(const Node::Entry& entry, const std::string& path,
                                   const Declaration& type, bool has_source,
                                   TypePrices& prices) const
{
    const std::string full = path + "." + entry.key;
    if (entry.key == access_key && (prices.knows("read") || prices.knows("write")))
        throw Error(
            entry.place,
            "'" + full +
                "' already covers read and write; expected 'access', or 'read' and 'write'");
    if ((entry.key == "read" || entry.key == "write") && prices.knows(entry.key))
        throw Error(
            entry.place,
            "'" + full +
                "' is given, but 'access' already covers read and write; expected one of them");
    if (type.datasheet != nullptr && entry.key == type.datasheet->name) {
        prices.datasheets = entry.value;
        prices.datasheets_path = full;
        return;
    }
    if (entry.key == "area") {
        prices.area = read_stated(entry.value, full, type, "area", Dimension::Area, has_source);
        return;
    }
    const config::Key* const price = config::find_key(price_keys_of(type), entry.key);
    if (price == nullptr)
        throw Error(entry.place, "'" + full + "': the type '" + type.type +
                                     "' has no event of this name" +
                                     config::suggestion(entry.key, names_of_events(type)));
    const bool is_event = price->kind == config::Key::Kind::Map;
    const std::span<const config::Key> keys = is_event ? price->keys : static_keys_of(type);
    if (is_unpriced(entry.value)) {
        MapReader reader(entry.value, full, keys);
        check_reason(reader, "unpriced", "the reason");
        // An inherited price has no effect here, but must still be valid.
        if (reader.has("source"))
            check_reason(reader, "source", "the price's origin");
        for (const config::Key& key : keys)
            if (reader.has(key.name) && key.kind == config::Key::Kind::Quantity)
                (void)reader.quantity(key.name);
        if (is_event && config::find_key(keys, "per") != nullptr && reader.has("per"))
            (void)per_byte(reader, {}, event_of(type, entry.key).row_bytes);
        reader.finish();
        prices.without_price.insert(entry.key);
        if (entry.key == access_key)
            prices.without_price.insert({"read", "write"});
        return;
    }
    if (entry.key == "static") {
        prices.power = read_stated(entry.value, full, type, "power", Dimension::Power, has_source);
        return;
    }
    read_event(entry, path, type, keys, has_source, prices);
}

void PriceList::Reader::read_event(const Node::Entry& entry, const std::string& path,
                                   const Declaration& type, std::span<const config::Key> keys,
                                   bool has_source, TypePrices& prices) const
{
    const EnergyEvent& event = event_of(type, entry.key);
    MapReader reader(entry.value, path + "." + entry.key, keys);
    (void)reader.raw("unpriced", false);
    need_source(reader, has_source);
    const bool is_time = event.unit == EnergyEvent::Unit::Picosecond;
    Rate rate{is_time ? read_price(reader, "power", Dimension::Power)
                      : read_price(reader, "energy", Dimension::Energy),
              1};
    if (is_time)
        rate = rate.times(1, picowatts_per_attojoule_per_ps);
    if (event.unit == EnergyEvent::Unit::Byte)
        rate = per_byte(reader, rate, event.row_bytes);
    const Node* scale = type.stores ? reader.raw("scale", false) : nullptr;
    reader.finish();
    for (const std::string& name : entry.key == access_key
                                       ? std::vector<std::string>{"read", "write"}
                                       : std::vector<std::string>{entry.key}) {
        prices.events[name] = rate;
        if (scale != nullptr)
            prices.scales.emplace(name, Scale(*scale, reader.path() + ".scale", Scale::Of::Access));
    }
}

/// Reads `per:` of a power or an area: a size, parameters of the type, or, for a power, an
/// area.
void PriceList::Reader::read_per(MapReader& reader, const Declaration& type, Stated& stated,
                                 bool is_power)
{
    if (const Node& per = *reader.node().find("per"); per.is_map()) {
        (void)reader.raw("per", true);
        read_parameters(per, reader.path() + ".per", type, stated);
        return;
    }
    const std::string text = reader.string("per");
    const config::QuantityResult area = config::parse_quantity(text, Dimension::Area);
    if (is_power && area.error.empty() && area.value != 0) {
        stated.per_um2 = area.value;
        return;
    }
    const config::QuantityResult size = config::parse_quantity(text, Dimension::Size);
    if (!type.stores || !size.error.empty() || size.value == 0)
        throw reader.error("per", "is '" + text + "'; expected " +
                                      (type.stores ? "a size such as '4 MiB'"
                                                   : "parameters such as '{rows: 32}'") +
                                      (is_power ? ", or an area such as '1 mm2'" : ""));
    stated.per_bytes = size.value;
}

/// Reads the parameters, with numbers, that are the unit of a power or an area.
void PriceList::Reader::read_parameters(const Node& node, const std::string& path,
                                        const Declaration& type, Stated& stated)
{
    for (const Node::Entry& entry : node.entries) {
        check_parameter(type, parameter_keys_of(type), entry, path);
        const std::optional<Quantity> number =
            entry.value.is_scalar() ? quantity_in(entry.value.scalar) : std::nullopt;
        const bool is_text =
            entry.value.quoted && number && number->dimension == config::Dimension::Count;
        if (!number || number->value == 0 || is_text)
            throw Error(entry.value.place,
                        "'" + path + "." + entry.key + "' is " +
                            (entry.value.is_scalar() ? "'" + entry.value.scalar + "'"
                                                     : std::string(entry.value.kind_name())) +
                            "; expected a number above 0, with its unit");
        stated.per_parameters.emplace_back(entry.key, *number);
    }
}

/// Reads a list of powers or areas, one for each part of a component. Each must have a
/// value.
PriceList::Stated PriceList::Reader::read_parts(const Node& node, const std::string& path,
                                                const Declaration& type, const std::string& key,
                                                Dimension dimension, bool has_source) const
{
    if (node.items.empty())
        throw Error(node.place,
                    "'" + path + "' is empty; expected a map, or a list of maps for its parts");
    const std::span<const config::Key> keys =
        dimension == Dimension::Power ? without_reason(static_keys_of(type)) : area_keys_of(type);
    std::vector<Stated> parts;
    for (std::size_t i = 0; i < node.items.size(); ++i)
        parts.push_back(
            read_one(MapReader(node.items[i], path + "[" + std::to_string(i) + "]", keys), type,
                     key, dimension, has_source));
    Stated whole = parts.front();
    whole.others.assign(parts.begin() + 1, parts.end());
    return whole;
}

PriceList::Stated PriceList::Reader::read_stated(const Node& node, const std::string& path,
                                                 const Declaration& type, const std::string& key,
                                                 Dimension dimension, bool has_source) const
{
    if (node.is_list())
        return read_parts(node, path, type, key, dimension, has_source);
    if (dimension != Dimension::Power)
        return read_one(MapReader(node, path, area_keys_of(type)), type, key, dimension,
                        has_source);
    MapReader reader(node, path, static_keys_of(type));
    (void)reader.raw("unpriced", false);
    return read_one(std::move(reader), type, key, dimension, has_source);
}

PriceList::Stated PriceList::Reader::read_one(MapReader reader, const Declaration& type,
                                              const std::string& key, Dimension dimension,
                                              bool has_source) const
{
    const bool is_power = dimension == Dimension::Power;
    need_source(reader, has_source);
    Stated stated;
    stated.place = reader.node().place;
    stated.amount = {read_price(reader, key, dimension), 1};
    if (is_power)
        stated.amount = stated.amount.times(1, picowatts_per_attojoule_per_ps);
    if (reader.has("per"))
        read_per(reader, type, stated, is_power);
    if (const Node* scale = type.stores ? reader.raw("scale", false) : nullptr)
        stated.scale.emplace(*scale, reader.path() + ".scale",
                             is_power ? Scale::Of::Power : Scale::Of::Area, stated.per_bytes);
    if (reader.has("within"))
        stated.within = type_names()[config::find_word(*reader.node().find("within"),
                                                       reader.path() + ".within", type_names())];
    reader.finish();
    return stated;
}

PriceList::Chip PriceList::Reader::read_chip(const Node& node, const std::string& path,
                                             const std::string& key, Dimension dimension) const
{
    const bool is_power = dimension == Dimension::Power;
    MapReader reader(node, path,
                     is_power ? std::span<const config::Key>(chip_power_keys) : chip_area_keys);
    need_source(reader, false);
    Chip chip;
    chip.amount = {read_price(reader, key, dimension), 1};
    if (is_power)
        chip.amount = chip.amount.times(1, picowatts_per_attojoule_per_ps);
    std::optional<MapReader> shares = reader.map("percent");
    reader.finish();
    std::uint64_t sum = 0;
    for (const Declaration* type : types)
        if (shares->has(type->type))
            sum += chip.percent[type->type] = shares->quantity(type->type);
    shares->finish();
    if (sum > 100)
        throw reader.error("percent",
                           "adds up to " + std::to_string(sum) + "; expected at most 100");
    return chip;
}

} // namespace levee::energy
