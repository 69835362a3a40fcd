// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/study.hpp"

#include "core/config/reader.hpp"
#include "platform/studies/sweep/filter.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace levee::sweep {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

/// In a check, this name instead of a point's name means the best value of an objective.
constexpr const char* best_point = "best";

std::string key_of(const std::string& override_text)
{
    return override_text.substr(0, override_text.find('='));
}

/// Returns whether two keys are the same, or one is a section that contains the other.
bool overlap(const std::string& a, const std::string& b)
{
    return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

std::vector<Condition> read_where(MapReader& reader, const std::vector<Axis>& axes)
{
    std::vector<std::string> names;
    for (const Axis& axis : axes)
        names.push_back(axis.name);
    const Node* where = reader.raw("where", false);
    std::vector<Condition> conditions;
    if (where == nullptr)
        return conditions;
    if (!where->is_list())
        return {Condition(*where, names)};
    for (const Node& condition : where->items)
        conditions.emplace_back(condition, names);
    return conditions;
}

void check_points(const config::Place& place, const std::vector<Point>& points)
{
    if (points.empty())
        throw Error(place, "no point of the study fulfils its conditions ('where'); expected "
                           "conditions that some points fulfil");
    std::set<std::string> names;
    for (const Point& point : points)
        if (!names.insert(point.name).second)
            throw Error(place,
                        "two points are called '" + point.name + "'; expected different names");
}

std::vector<std::uint64_t> read_seeds(MapReader& reader)
{
    const Node* list = reader.raw("seeds", false);
    std::vector<std::uint64_t> seeds;
    if (list == nullptr)
        return seeds;
    const auto refuse = [&](const Node& at) {
        return Error(at.place, "'seeds' is neither a list of different numbers, such as [1, 2, 3], "
                               "nor a number of seeds from 1 to " +
                                   std::to_string(most_seeds));
    };
    const auto number = [&](const Node& node, std::uint64_t most) {
        const config::QuantityResult seed =
            config::parse_quantity(node.scalar, config::Dimension::Count);
        if (!node.is_scalar() || node.quoted || !seed.error.empty() || seed.value > most)
            throw refuse(node);
        return seed.value;
    };
    if (list->is_scalar()) {
        seeds.resize(number(*list, most_seeds));
        std::iota(seeds.begin(), seeds.end(), 1);
    } else {
        for (const Node& item : list->items)
            seeds.push_back(number(item, seed_form[0].limits.most));
    }
    const std::set<std::uint64_t> different(seeds.begin(), seeds.end());
    if (seeds.empty() || seeds.size() > most_seeds || different.size() != seeds.size())
        throw refuse(*list);
    return seeds;
}

/// Reads `columns`: a map from names to metrics, or a list of metrics that are also the names.
std::vector<Column> read_study_columns(MapReader& reader)
{
    const Node* node = reader.raw("columns", !reader.has("objectives"));
    std::vector<Column> columns;
    if (node == nullptr)
        return columns;
    if (!node->is_list())
        return read_columns(reader, "columns");
    for (const Node& item : node->items) {
        if (!item.is_scalar())
            throw Error(item.place, "'columns' has " + std::string(item.kind_name()) +
                                        " in its list; expected metrics of the results");
        Column column;
        column.name = column.metric = item.scalar;
        column.place = item.place;
        columns.push_back(std::move(column));
    }
    return columns;
}

/// Returns the index of the column with this name or metric. Adds a column if there is none.
std::size_t column_of(const Node& name, std::vector<Column>& columns)
{
    if (!name.is_scalar())
        throw Error(name.place, "'objectives' has " + std::string(name.kind_name()) +
                                    " in its list; expected the name of a column or a metric");
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].name == name.scalar)
            return i;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].metric == name.scalar && !columns[i].over)
            return i;
    Column column;
    column.name = column.metric = name.scalar;
    column.place = name.place;
    columns.push_back(std::move(column));
    return columns.size() - 1;
}

void need_objectives(const config::Place& place, bool has_some)
{
    if (!has_some)
        throw Error(place, "'objectives' is empty; expected columns to maximize or minimize");
}

void read_objective(const Node& node, Study& study)
{
    MapReader reader(node, "objectives", objective_keys);
    const std::size_t before = study.objectives.size();
    for (const bool maximize : {true, false}) {
        const Node* names = reader.raw(maximize ? "maximize" : "minimize", false);
        if (names == nullptr)
            continue;
        need_objectives(names->place, !names->is_list() || !names->items.empty());
        for (const Node& name : names->is_list() ? names->items : std::vector<Node>{*names}) {
            const std::size_t column = column_of(name, study.columns);
            for (const Objective& other : study.objectives)
                if (other.column == column)
                    throw Error(name.place, "the objective '" + name.scalar + "' is given twice");
            study.objectives.push_back({column, maximize});
        }
    }
    reader.finish();
    need_objectives(node.place, study.objectives.size() > before);
}

void read_figures(MapReader& reader, Study& study)
{
    study.columns = read_study_columns(reader);
    const Node* objectives = reader.raw("objectives", false);
    if (objectives != nullptr)
        need_objectives(objectives->place, !objectives->is_list() || !objectives->items.empty());
    if (objectives != nullptr && objectives->is_list())
        for (const Node& item : objectives->items)
            read_objective(item, study);
    else if (objectives != nullptr)
        read_objective(*objectives, study);
    const Node* checks = reader.raw("checks", false);
    if (checks == nullptr)
        return;
    if (!checks->is_list())
        throw reader.error("checks", "is " + std::string(checks->kind_name()) +
                                         "; expected a list of checks");
    for (const Node& check : checks->items)
        study.checks.push_back(parse_check(check));
}

bool is_objective(const Study& study, const std::string& column)
{
    return std::any_of(
        study.objectives.begin(), study.objectives.end(),
        [&](const Objective& objective) { return study.columns[objective.column].name == column; });
}

/// Reads `explore`: the budget of an exploration, whose number of points may be missing.
Budget read_budget(MapReader& study)
{
    MapReader reader = study.map_or_defaults("explore");
    Budget budget;
    budget.points = reader.quantity32("points");
    budget.generation = reader.quantity32("generation");
    budget.seed = reader.quantity("seed");
    if (study.has("explore"))
        reader.finish();
    return budget;
}

} // namespace

std::vector<std::string> names_of(const std::vector<Point>& points)
{
    std::vector<std::string> names;
    for (const Point& point : points)
        names.push_back(point.name);
    return names;
}

void refuse_varied(const std::vector<std::string>& overrides, const std::vector<Point>& points)
{
    for (const std::string& text : overrides)
        for (const Point& point : points)
            for (const std::string& own : point.overrides)
                if (overlap(key_of(text), key_of(own)))
                    throw Error("--set " + text + ": the study itself sets '" + key_of(own) +
                                "', at the point '" + point.name + "'");
}

void check_names(const Study& study, const std::vector<std::string>& points)
{
    std::vector<std::string> columns;
    for (const Column& column : study.columns)
        columns.push_back(column.name);
    std::map<std::string, std::size_t> times;
    for (const std::string& column : columns)
        ++times[column];
    for (const Column& column : study.columns)
        if (times[column.name] > 1)
            throw Error(column.place,
                        "two columns are called '" + column.name + "'; expected different names");
    const std::set<std::string> point_names(points.begin(), points.end());
    for (const Check& check : study.checks)
        each_figure(check.relation, [&](const std::string& column, const std::string& point) {
            if (!times.contains(column))
                throw Error(check.place,
                            "the check names a column that this study does not have: '" + column +
                                "'" + config::suggestion(column, columns));
            if (point == best_point && !point_names.contains(best_point)) {
                if (!is_objective(study, column))
                    throw Error(check.place, "the check uses the best '" + column +
                                                 "', which is not an objective");
            } else if (!point_names.contains(point))
                throw Error(check.place,
                            "the check names a point that this study does not have: '" + point +
                                "'" + config::suggestion(point, points));
        });
}

/// Reads the study's name, which is also the name of the folder for results.
std::string read_name(MapReader& reader, const Node& root, const std::filesystem::path& file)
{
    const std::string name = reader.string("name", file.stem().string());
    const Node* const given = reader.raw("name", false);
    const bool is_file_name =
        !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
        std::ranges::none_of(name, [](unsigned char c) { return c == '\x7f' || c < ' '; });
    if (!is_file_name)
        throw Error(given != nullptr ? given->place : root.place,
                    "the study's name is " + config::in_quotes(name) +
                        "; expected a name for a folder in out/: not empty, no leading '.', no '/' "
                        "(use --out DIR for other folders)");
    return name;
}

Draft read_draft(const std::filesystem::path& file, const config::FileFinder& finder,
                 const std::vector<std::string>& overrides)
{
    const Node root = config::load_yaml(file);
    MapReader reader(root, "", study_keys);
    Draft draft;
    Study& study = draft.study;
    study.file = file;
    study.name = read_name(reader, root, file);
    const std::string scenario = reader.string("scenario");
    const Node* scenario_node = reader.raw("scenario", false);
    if (const Node* set = reader.raw("set", false))
        draft.common = read_overrides(*set, "set");
    draft.common.insert(draft.common.end(), overrides.begin(), overrides.end());
    if (const Node* named = reader.raw("points", false))
        study.points = read_points(*named, "points");
    draft.design = read_design(reader);
    draft.where = read_where(reader, draft.design.axes);
    if (draft.design.axes.empty() && study.points.empty())
        throw Error(root.place, "the study has neither 'axes' nor 'points'; expected one of them");
    study.seeds = read_seeds(reader);
    study.keep = reader.boolean("keep");
    study.explore = read_budget(reader);
    read_figures(reader, study);
    reader.finish();
    study.axes = draft.design.axes;
    study.origins = Origins(root);
    for (const Axis& axis : study.axes)
        study.origins.add(axis.keys, axis.place);
    study.scenario = finder.within(file.parent_path()).scenario(scenario, scenario_node->place);
    draft.place = root.place;
    return draft;
}

void add_points(Study& study, std::vector<Point> points, const std::vector<std::string>& common)
{
    for (Point& point : points) {
        point.overrides.insert(point.overrides.begin(), common.begin(), common.end());
        study.points.push_back(std::move(point));
    }
}

Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                 const std::vector<std::string>& overrides)
{
    Draft draft = read_draft(file, finder, overrides);
    Study study = std::move(draft.study);
    const config::ScenarioSource source(study.scenario.string(), finder);
    std::vector<Point> points = std::exchange(study.points, {});
    std::vector<Point> drawn =
        points_of(draft.design, Filter(draft.where, study.axes, source, draft.common));
    study.axes_refused = drawn.empty() && !study.axes.empty();
    std::move(drawn.begin(), drawn.end(), std::back_inserter(points));
    check_points(draft.place, points);
    refuse_varied(overrides, points);
    add_points(study, std::move(points), draft.common);
    check_names(study, names_of(study.points));
    return study;
}

} // namespace levee::sweep
