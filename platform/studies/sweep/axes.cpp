// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/axes.hpp"

#include "platform/studies/sweep/measured.hpp"
#include "platform/studies/sweep/study_keys.hpp"

#include <algorithm>
#include <array>

namespace levee::sweep {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

bool is_map_of_labels(const Node& node)
{
    return node.is_map() &&
           std::none_of(node.entries.begin(), node.entries.end(), [](const auto& entry) {
               return config::find_key(axis_keys, entry.key) != nullptr;
           });
}

/// Returns a value in the form of an override, with quotes if the study has quotes.
std::string written(const Node& item)
{
    if (!item.quoted)
        return item.scalar;
    std::string text = "\"";
    for (const char c : item.scalar)
        text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return text + "\"";
}

AxisValue value_of(const std::vector<std::string>& keys, const std::string& text,
                   const std::string& label)
{
    AxisValue value;
    value.at.label = label;
    if (const std::optional<Measured> number = measure(label))
        value.at.number = number->value;
    for (const std::string& key : keys)
        value.overrides.push_back(key + "=" + text);
    return value;
}

/// Finds the unit that all values share. If they share none, the values are texts, not numbers.
void settle_unit(Axis& axis)
{
    std::string unit;
    bool numbers = true;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const std::optional<Measured> number = measure(axis.values[i].at.label);
        numbers = numbers && number && (i == 0 || number->unit == unit);
        if (number)
            unit = number->unit;
    }
    if (numbers)
        axis.unit = unit;
    else
        for (AxisValue& value : axis.values)
            value.at.number.reset();
}

void read_list(const Node& list, Axis& axis)
{
    if (!list.is_list() || list.items.empty() || list.items.size() > most_values)
        throw Error(list.place, "the values of 'axes." + axis.name + "' are " +
                                    std::string(list.kind_name()) +
                                    "; expected a list that is not empty, with at most this many "
                                    "values: " +
                                    std::to_string(most_values));
    axis.kind = Axis::Kind::List;
    for (const Node& item : list.items) {
        if (!item.is_scalar())
            throw Error(item.place, "'axes." + axis.name + "' has " +
                                        std::string(item.kind_name()) +
                                        " among its values; expected numbers or words, or "
                                        "'labels' with a list of KEY=VALUE each");
        axis.values.push_back(value_of(axis.keys, written(item), item.scalar));
    }
    settle_unit(axis);
}

void read_labels(const Node& labels, Axis& axis)
{
    axis.kind = Axis::Kind::Labels;
    axis.keys.clear();
    for (const Point& point : read_points(labels, "axes." + axis.name))
        axis.values.push_back({{point.name, std::nullopt}, point.overrides});
}

void read_range(MapReader& reader, Axis& axis)
{
    axis.kind = Axis::Kind::Range;
    axis.range.emplace(reader);
    std::vector<std::string> values;
    if (reader.has("step")) {
        if (reader.has("steps"))
            throw reader.error("step", "is given together with 'steps'; expected only one of them");
        const std::string step = reader.string("step");
        reader.finish();
        values = axis.range->every(step, most_values, reader.raw("step", true)->place);
    } else if (reader.has("steps")) {
        const std::uint32_t steps = reader.quantity32("steps");
        reader.finish();
        values = axis.range->steps(steps);
    }
    reader.finish();
    for (const std::string& text : values)
        axis.values.push_back(value_of(axis.keys, text, text));
    axis.unit = measure(reader.string("from")).value_or(Measured{}).unit;
}

Condition read_only_if(const Node& node, const std::string& axis,
                       const std::vector<std::string>& before)
{
    Condition condition(node, before);
    for (const std::string& name : condition.names())
        if (std::ranges::find(before, name) == before.end())
            throw Error(node.place, "'axes." + axis + ".only_if' names '" + name +
                                        "', which is not an earlier axis" +
                                        config::suggestion(name, before));
    return condition;
}

std::vector<std::string> keys_of(MapReader& reader, const std::string& axis)
{
    const Node* key = reader.raw("key", false);
    if (key == nullptr)
        return {axis};
    std::vector<std::string> keys =
        key->is_list() ? reader.strings("key") : std::vector{reader.string("key")};
    if (keys.empty() || std::ranges::find(keys, "") != keys.end())
        throw reader.error("key", "is empty; expected a key of the scenario, or a list of them");
    return keys;
}

/// Checks that the axis defines its values in only one way.
void check_one_way(MapReader& reader)
{
    const char* first = nullptr;
    for (const char* const way : {"values", "labels", "from"})
        if (reader.has(way)) {
            if (first != nullptr)
                throw reader.error(way, std::string("is given together with '") + first +
                                            "'; expected only one of them");
            first = way;
        }
}

} // namespace

AxisValue Axis::drawn(double fraction) const
{
    if (range) {
        const std::string text = range->drawn(fraction);
        return value_of(keys, text, text);
    }
    const auto index = static_cast<std::size_t>(fraction * static_cast<double>(values.size()));
    return values[std::min(index, values.size() - 1)];
}

Axis read_axis(const Node::Entry& entry, const std::vector<std::string>& before)
{
    Axis axis;
    axis.name = entry.key;
    axis.place = entry.place;
    axis.keys = {entry.key};
    if (entry.value.is_list()) {
        read_list(entry.value, axis);
        return axis;
    }
    if (!entry.value.is_map() || is_map_of_labels(entry.value)) {
        read_labels(entry.value, axis);
        return axis;
    }
    MapReader reader(entry.value, "axes." + entry.key, axis_keys);
    check_one_way(reader);
    axis.keys = keys_of(reader, entry.key);
    if (const Node* condition = reader.raw("only_if", false))
        axis.only_if = read_only_if(*condition, axis.name, before);
    const Node* values = reader.raw("values", false);
    const Node* labels = reader.raw("labels", false);
    if (values == nullptr && labels == nullptr) {
        read_range(reader, axis);
        return axis;
    }
    reader.finish();
    if (labels != nullptr)
        read_labels(*labels, axis);
    else
        read_list(*values, axis);
    return axis;
}

} // namespace levee::sweep
