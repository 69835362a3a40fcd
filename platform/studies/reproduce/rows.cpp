// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/rows.hpp"

#include "platform/studies/reproduce/reproduction_keys.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace levee::reproduce {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

Bounds bounds_of(const Node& node, const Error& refused)
{
    if (!node.is_list() || node.items.size() != 2)
        throw refused;
    std::array<double, 2> bounds{};
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        const std::string text = config::plain_number(node.items[i].scalar);
        const char* const end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, bounds[i]);
        const bool is_text = node.items[i].quoted && std::isfinite(bounds[i]);
        if (!node.items[i].is_scalar() || is_text || result.ec != std::errc() || result.ptr != end)
            throw refused;
    }
    if (!(bounds[0] <= bounds[1]))
        throw refused;
    return Bounds{bounds[0], bounds[1]};
}

std::optional<Bounds> read_bounds(MapReader& reader, const std::string& key)
{
    const Node* node = reader.raw(key, false);
    if (node == nullptr)
        return {};
    return bounds_of(
        *node,
        reader.error(
            key, "is not a pair of numbers, least and most; expected for example [1.05, 1.5] or "
                 "[2, inf]"));
}

/// Reads one pair of bounds, or one for each of `numbers`.
std::vector<Bounds> read_expected(MapReader& reader, const std::string& key, std::size_t numbers)
{
    const Node* node = reader.raw(key, false);
    if (node == nullptr)
        return {};
    if (!node->is_list() || node->items.empty() || !node->items[0].is_list())
        return {*read_bounds(reader, key)};
    const Error refused =
        reader.error(key, "is not a list of pairs such as [1.05, 1.5], one for each of the row's " +
                              std::to_string(numbers) + " numbers");
    if (node->items.size() != numbers)
        throw refused;
    std::vector<Bounds> all;
    for (const Node& item : node->items)
        all.push_back(bounds_of(item, refused));
    return all;
}

std::vector<std::vector<sweep::Expression>> read_parts(const Node& value,
                                                       const std::vector<Combination>& combinations)
{
    std::vector<std::vector<sweep::Expression>> parts;
    const auto add = [&](const Node& expression) {
        parts.emplace_back();
        for (const Combination& combination : combinations)
            parts.back().push_back(parse_with(expression, combination));
    };
    if (value.is_list() && value.items.empty())
        throw config::Error(value.place,
                            "an empty list; expected an expression, or a list of them");
    if (value.is_list())
        for (const Node& item : value.items)
            add(item);
    else
        add(value);
    return parts;
}

} // namespace

std::string name_of(Kind kind)
{
    switch (kind) {
    case Kind::Value:
        return "value";
    case Kind::Ratio:
        return "ratio";
    case Kind::Trend:
        return "trend";
    case Kind::NotDerivable:
        return "not derivable";
    }
    return "";
}

namespace {

/// Reads the quantity of a row that is not published, and its derivation from published rows.
void read_own(MapReader& reader, Row& row)
{
    if (const Node* published = reader.raw("published", false))
        row.derived = parse_with(*published, {});
    if (row.derived || reader.has("quantity")) {
        (void)reader.raw("unit", true);
        row.quantity = reader.string("quantity");
        row.configuration = reader.string("configuration");
        row.unit = reader.string("unit");
        if (row.quantity.empty())
            throw reader.error("quantity", "is empty; expected the name of the quantity");
    }
}

} // namespace

Row read_row(const Node::Entry& entry, const Axes& axes)
{
    MapReader reader(entry.value, "rows." + entry.key, row_keys);
    Row row;
    row.id = entry.key;
    row.place = entry.place;
    row.kind = reader.word<Kind>("kind");
    if (reader.has("follows"))
        row.follows = reader.word<Class>("follows");
    else if (row.kind == Kind::NotDerivable)
        row.follows = Class::Contradicted;
    row.under = reader.string("under");
    const std::vector<Combination> combinations = read_over(reader, axes);
    if (const Node* value = reader.raw("value", row.kind != Kind::NotDerivable))
        row.parts = read_parts(*value, combinations);
    row.average = reader.word<Average>("average");
    row.note = reader.string("note");
    row.relative_to = reader.string("relative_to");
    row.expect = read_expected(reader, "expect", row.parts.size());
    row.expect_in = reader.string("expect_in");
    if (!row.expect_in.empty() && row.expect.empty())
        throw reader.error("expect_in", "is given without 'expect'; expected both or neither");
    row.expect_ratio = read_bounds(reader, "expect_ratio");
    row.expect_relative = read_bounds(reader, "expect_relative");
    read_own(reader, row);
    reader.finish();
    return row;
}

Plot read_plot(const Node::Entry& entry, const Axes& axes)
{
    MapReader reader(entry.value, "plots." + entry.key, plot_keys);
    Plot plot;
    plot.name = entry.key;
    const std::vector<Combination> combinations = read_over(reader, axes);
    const Node* values = reader.raw("values", true);
    reader.finish();
    if (!values->is_map() || values->entries.empty())
        throw reader.error("values", "is " + std::string(values->kind_name()) +
                                         "; expected headings, each with an expression");
    for (const auto& [name, value] : combinations.front())
        plot.labels.push_back(name);
    for (const Node::Entry& value : values->entries)
        plot.values.push_back(value.key);
    for (const Combination& combination : combinations) {
        Plot::Line line;
        for (const auto& [name, label] : combination)
            line.labels.push_back(label);
        for (const Node::Entry& value : values->entries)
            line.values.push_back(parse_with(value.value, combination));
        plot.lines.push_back(std::move(line));
    }
    return plot;
}

} // namespace levee::reproduce
