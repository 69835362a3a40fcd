// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/study.hpp"

#include "platform/input/config/reader.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace levee::sweep {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

constexpr std::uint64_t most_seeds = 1000;

std::string key_of(const std::string& override_text)
{
    return override_text.substr(0, override_text.find('='));
}

/// Whether an override of one key sets the other, or a part of it.
bool overlap(const std::string& a, const std::string& b)
{
    return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

/// Refuses an override of the command line that a point would undo: the table would say otherwise.
void refuse_varied(const std::vector<std::string>& overrides, const std::vector<Point>& points)
{
    for (const std::string& text : overrides)
        for (const Point& point : points)
            for (const std::string& own : point.overrides)
                if (overlap(key_of(text), key_of(own)))
                    throw Error("--set " + text + ": the study sets '" + key_of(own) +
                                "' itself, at the point '" + point.name + "'");
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

/// Whether the point fulfils all conditions. One whose scenario cannot be composed stays, to be
/// reported with its error.
class Filter {
public:
    Filter(const std::vector<Condition>& conditions, const std::vector<Axis>& axes,
           const config::ScenarioSource& source, const std::vector<std::string>& common)
        : conditions_(conditions), axes_(axes), source_(source), common_(common)
    {
    }

    bool operator()(const Point& point) const
    {
        std::optional<Node> tree;
        bool composed = true;
        const TextOf text_of = [&](const std::string& name) -> std::optional<std::string> {
            for (std::size_t i = 0; i < axes_.size(); ++i)
                if (axes_[i].name == name)
                    return point.at[i].label.empty() ? std::nullopt
                                                     : std::optional(point.at[i].label);
            if (!tree && composed)
                composed = compose(point, tree);
            return tree ? text_in(*tree, name) : std::nullopt;
        };
        for (const Condition& condition : conditions_)
            if (const bool holds = condition.holds(text_of); !holds && composed)
                return false;
        return true;
    }

private:
    bool compose(const Point& point, std::optional<Node>& tree) const
    {
        std::vector<std::string> all = common_;
        all.insert(all.end(), point.overrides.begin(), point.overrides.end());
        try {
            tree = source_.composed(all);
        } catch (const Error&) {
            return false;
        }
        return true;
    }

    static std::optional<std::string> text_in(const Node& tree, const std::string& key)
    {
        const Node* node = &tree;
        for (std::size_t begin = 0; node != nullptr;) {
            const std::size_t dot = key.find('.', begin);
            node = node->is_map() ? node->find(key.substr(begin, dot - begin)) : nullptr;
            if (dot == std::string::npos)
                break;
            begin = dot + 1;
        }
        return node != nullptr && node->is_scalar() ? std::optional(node->scalar) : std::nullopt;
    }

    const std::vector<Condition>& conditions_;
    const std::vector<Axis>& axes_;
    const config::ScenarioSource& source_;
    const std::vector<std::string>& common_;
};

void check_points(const MapReader& reader, const std::vector<Point>& points)
{
    if (points.empty())
        throw Error(reader.node().place, "no point of the study fulfils its conditions ('where')");
    std::set<std::string> names;
    for (const Point& point : points)
        if (!names.insert(point.name).second)
            throw Error(reader.node().place, "two points are called '" + point.name + "'");
}

std::vector<std::uint64_t> read_seeds(MapReader& reader)
{
    const Node* list = reader.raw("seeds", false);
    std::vector<std::uint64_t> seeds;
    if (list == nullptr)
        return seeds;
    const auto refuse = [&](const Node& at) {
        return Error(at.place, "'seeds' is no list of different numbers, such as [1, 2, 3], nor a "
                               "number of seeds from 1 to " +
                                   std::to_string(most_seeds));
    };
    const auto number = [&](const Node& node, std::uint64_t most) {
        const config::QuantityResult seed =
            config::parse_quantity(node.scalar, config::Dimension::Count);
        if (!node.is_scalar() || !seed.error.empty() || seed.value > most)
            throw refuse(node);
        return seed.value;
    };
    if (list->is_scalar()) {
        seeds.resize(number(*list, most_seeds));
        std::iota(seeds.begin(), seeds.end(), 1);
    } else {
        for (const Node& item : list->items)
            seeds.push_back(number(item, 0xFFFFFFFF));
    }
    const std::set<std::uint64_t> different(seeds.begin(), seeds.end());
    if (seeds.empty() || seeds.size() > most_seeds || different.size() != seeds.size())
        throw refuse(*list);
    return seeds;
}

/// `columns`: the map of names, or a list of metrics that are names themselves.
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

/// The index of a column by its name or metric; added if there is none.
std::size_t column_of(const Node& name, std::vector<Column>& columns)
{
    if (!name.is_scalar())
        throw Error(name.place, "'objectives' has " + std::string(name.kind_name()) +
                                    " here; expected a column or a metric");
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

void read_objective(const Node& node, Study& study)
{
    MapReader reader(node, "objectives");
    for (const bool maximize : {true, false}) {
        const Node* names = reader.raw(maximize ? "maximize" : "minimize", false);
        if (names == nullptr)
            continue;
        for (const Node& name : names->is_list() ? names->items : std::vector<Node>{*names}) {
            const std::size_t column = column_of(name, study.columns);
            for (const Objective& other : study.objectives)
                if (other.column == column)
                    throw Error(name.place, "the objective '" + name.scalar + "' is given twice");
            study.objectives.push_back({column, maximize});
        }
    }
    reader.finish();
}

void check_names(const Study& study)
{
    std::vector<std::string> columns, points;
    for (const Column& column : study.columns)
        columns.push_back(column.name);
    for (const Point& point : study.points)
        points.push_back(point.name);
    const auto known = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (std::count(columns.begin(), columns.end(), columns[i]) > 1)
            throw Error(study.columns[i].place, "two columns are called '" + columns[i] + "'");
    for (const Check& check : study.checks)
        for (const auto* side : {&check.left, &check.right})
            each_figure(*side, [&](const Term::Figure& figure) {
                if (!known(columns, figure.column))
                    throw Error(check.place, "the check names no column of this study: '" +
                                                 figure.column + "'" +
                                                 config::suggestion(figure.column, columns));
                if (!known(points, figure.point))
                    throw Error(check.place, "the check names no point of this study: '" +
                                                 figure.point + "'" +
                                                 config::suggestion(figure.point, points));
            });
}

void read_figures(MapReader& reader, Study& study)
{
    study.columns = read_study_columns(reader);
    const Node* objectives = reader.raw("objectives", false);
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

} // namespace

Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                 const std::vector<std::string>& overrides)
{
    const Node root = config::load_yaml(file);
    MapReader reader(root, "");
    Study study;
    study.file = file;
    study.name = reader.string("name", file.stem().string());
    const std::string scenario = reader.string("scenario");
    const Node* scenario_node = reader.raw("scenario", false);
    std::vector<std::string> common;
    if (const Node* set = reader.raw("set", false))
        common = read_overrides(*set, "set");
    common.insert(common.end(), overrides.begin(), overrides.end());
    if (const Node* named = reader.raw("points", false))
        study.points = read_points(*named, "points");
    Design design = read_design(reader);
    const std::vector<Condition> where = read_where(reader, design.axes);
    if (design.axes.empty() && study.points.empty())
        throw Error(root.place, "the study lacks 'axes' and 'points'; expected one");
    study.seeds = read_seeds(reader);
    study.keep = reader.boolean("keep", false);
    read_figures(reader, study);
    reader.finish();
    study.scenario = finder.within(file.parent_path()).file(scenario, scenario_node->place);
    const config::ScenarioSource source(study.scenario.string(), finder);
    std::vector<Point> drawn = points_of(design, Filter(where, design.axes, source, common));
    study.axes = std::move(design.axes);
    std::move(drawn.begin(), drawn.end(), std::back_inserter(study.points));
    check_points(reader, study.points);
    refuse_varied(overrides, study.points);
    for (Point& point : study.points)
        point.overrides.insert(point.overrides.begin(), common.begin(), common.end());
    check_names(study);
    return study;
}

} // namespace levee::sweep
