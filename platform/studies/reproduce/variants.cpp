// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/variants.hpp"

#include "platform/studies/reproduce/names.hpp"
#include "platform/studies/reproduce/reproduction_keys.hpp"

#include <algorithm>
#include <string_view>

namespace levee::reproduce {

namespace {

using config::MapReader;
using config::Node;

/// Returns whether `text` matches `pattern`, in which * stands for any text.
bool matches(std::string_view pattern, std::string_view text)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return pattern == text;
    if (text.substr(0, star) != pattern.substr(0, star))
        return false;
    for (std::size_t at = star; at <= text.size(); ++at)
        if (matches(pattern.substr(star + 1), text.substr(at)))
            return true;
    return false;
}

bool is_among(const std::vector<std::string>& patterns, const std::string& name, const RunSpec& run)
{
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const auto& one) {
               return one == run.group || matches(one, name);
           });
}

void check_runs(const config::Place& place, const Variant::Change& change, const Plan& plan)
{
    std::vector<std::string> groups;
    for (const auto& [name, run] : plan.runs)
        groups.push_back(run.group);
    for (const std::string& pattern : change.runs)
        if (std::none_of(plan.runs.begin(), plan.runs.end(), [&](const auto& run) {
                return is_among({pattern}, run.first, run.second);
            }))
            check_name(place, "group of runs", pattern, groups);
}

Variant::Change read_change(MapReader& reader, const std::string& path, const Plan& plan)
{
    Variant::Change change;
    if (const Node* set = reader.raw("set", false))
        change.overrides = sweep::read_overrides(*set, path + ".set");
    change.runs = reader.strings("runs");
    check_runs(reader.node().place, change, plan);
    return change;
}

void read_changes(const Node& list, const std::string& path, const Plan& plan, Variant& variant)
{
    if (!list.is_list())
        throw config::Error(list.place, "'" + path + "' is " + std::string(list.kind_name()) +
                                            "; expected a list of maps of 'set' and 'runs'");
    for (const Node& item : list.items) {
        MapReader reader(item, path, change_keys);
        variant.changes.push_back(read_change(reader, path, plan));
        reader.finish();
    }
}

/// Adds another variant's changes, and its figures whose names this variant does not have yet.
void include(const Variant& other, Variant& variant)
{
    variant.changes.insert(variant.changes.end(), other.changes.begin(), other.changes.end());
    for (const sweep::Column& column : other.figures)
        if (std::none_of(variant.figures.begin(), variant.figures.end(),
                         [&](const auto& known) { return known.name == column.name; }))
            variant.figures.push_back(column);
}

void check_row_names(const config::Place& place, const std::vector<std::string>& rows,
                     const Plan& plan)
{
    for (const std::string& row : rows)
        check_name(place, "row", row, ids_of(plan.rows));
}

/// Returns the row of a number's id: "S08" for "S08/2".
std::string row_of(const std::string& number)
{
    return number.substr(0, number.find('/'));
}

/// Throws if the row, or the number in the row, does not exist.
void check_number(const config::Place& place, const std::string& number, const Plan& plan)
{
    check_row_names(place, {row_of(number)}, plan);
    std::vector<std::string> known{row_of(number)};
    for (const Row& row : plan.rows)
        for (std::size_t i = 1;
             row.id == row_of(number) && row.parts.size() > 1 && i <= row.parts.size(); ++i)
            known.push_back(row.id + "/" + std::to_string(i));
    check_name(place, "number", number, known);
}

} // namespace

std::vector<std::string> Variant::overrides(const std::string& run_name, const RunSpec& run) const
{
    std::vector<std::string> all;
    for (const Change& change : changes)
        if (is_among(change.runs, run_name, run))
            all.insert(all.end(), change.overrides.begin(), change.overrides.end());
    return all;
}

Variant read_variant(const Node::Entry& entry, const Plan& plan)
{
    const std::string path = "variants." + entry.key;
    MapReader reader(entry.value, path, variant_keys);
    Variant variant;
    variant.name = entry.key;
    variant.place = entry.place;
    if (reader.has("figures"))
        variant.figures = sweep::read_columns(reader, "figures");
    for (const sweep::Column& column : variant.figures)
        check_name(column.place, "figure", column.name, names_of(plan.figures));
    for (const std::string& name : reader.strings("with")) {
        check_name(entry.place, "variant before this one", name, names_of(plan.variants));
        include(*std::find_if(plan.variants.begin(), plan.variants.end(),
                              [&](const Variant& other) { return other.name == name; }),
                variant);
    }
    variant.changes.push_back(read_change(reader, path, plan));
    if (const Node* changes = reader.raw("changes", false))
        read_changes(*changes, path + ".changes", plan, variant);
    reader.finish();
    return variant;
}

ErrorGroup read_errors(const Node::Entry& entry, const Plan& plan)
{
    MapReader reader(entry.value, "errors." + entry.key, error_keys);
    ErrorGroup group;
    group.name = entry.key;
    group.rows = reader.strings("rows");
    group.percent_changes = reader.strings("percent_changes");
    reader.finish();
    check_row_names(entry.place, group.rows, plan);
    check_row_names(entry.place, group.percent_changes, plan);
    return group;
}

Constant read_constant(const Node::Entry& entry, const Plan& plan)
{
    MapReader reader(entry.value, "constants." + entry.key, constant_keys);
    Constant constant;
    constant.name = entry.key;
    constant.place = entry.place;
    constant.form = reader.word<Constant::Form>("form");
    constant.rows = reader.strings("rows");
    constant.note = reader.string("note");
    constant.fits = reader.boolean("fits");
    reader.finish();
    if (constant.rows.empty())
        throw config::Error(entry.place, "'constants." + entry.key +
                                             "' has no rows; expected ids of the device's rows");
    for (const std::string& row : constant.rows) {
        check_number(entry.place, row, plan);
        for (const Constant& other : plan.constants)
            for (const std::string& known : other.rows)
                if (row == known || row == row_of(known) || row_of(row) == known)
                    throw config::Error(entry.place,
                                        "row '" + row + "' is in constant '" + other.name +
                                            "', too; expected each row in only one constant");
    }
    return constant;
}

Goal read_goal(const Node::Entry& entry)
{
    MapReader reader(entry.value, "goals." + entry.key, goal_keys);
    Goal goal;
    goal.name = entry.key;
    goal.devices = reader.count("devices");
    goal.rows = reader.count("rows");
    goal.median = reader.real("median");
    goal.worst = reader.real("worst");
    reader.finish();
    return goal;
}

} // namespace levee::reproduce
