// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/study.hpp"

#include "platform/input/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

#include <algorithm>
#include <set>

namespace levee::sweep {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

constexpr std::uint64_t most_seeds = 1000;
constexpr std::size_t most_points = 10'000;

std::vector<Point> read_all_points(MapReader& reader, const std::vector<std::string>& common)
{
    std::vector<Point> points;
    if (const Node* named = reader.raw("points", false))
        points = read_points(*named, "points");
    if (const Node* axes = reader.raw("axes", false)) {
        if (!axes->is_map())
            throw reader.error("axes",
                               "is " + std::string(axes->kind_name()) + "; expected a map of axes");
        std::vector<Point> grid{{}};
        for (const Node::Entry& axis : axes->entries) {
            grid = combine(grid, read_points(axis.value, "axes." + axis.key));
            if (grid.size() > most_points)
                throw Error(axis.place, "the axes have more than " + std::to_string(most_points) +
                                            " combinations");
        }
        points.insert(points.end(), grid.begin(), grid.end());
    }
    if (points.empty())
        throw Error(reader.node().place, "the study lacks 'axes' and 'points'; expected one");
    std::set<std::string> names;
    for (Point& point : points) {
        if (!names.insert(point.name).second)
            throw Error(reader.node().place, "two points are called '" + point.name + "'");
        point.overrides.insert(point.overrides.begin(), common.begin(), common.end());
    }
    return points;
}

std::vector<std::uint64_t> read_seeds(MapReader& reader)
{
    const Node* list = reader.raw("seeds", false);
    std::vector<std::uint64_t> seeds;
    if (list == nullptr)
        return seeds;
    const auto refuse = [&](const Node& at) {
        return Error(at.place, "'seeds' is no list of different numbers, such as [1, 2, 3]");
    };
    if (!list->is_list() || list->items.empty() || list->items.size() > most_seeds)
        throw refuse(*list);
    for (const Node& item : list->items) {
        const config::QuantityResult seed =
            config::parse_quantity(item.scalar, config::Dimension::Count);
        if (!item.is_scalar() || !seed.error.empty() || seed.value > 0xFFFFFFFF ||
            std::find(seeds.begin(), seeds.end(), seed.value) != seeds.end())
            throw refuse(item);
        seeds.push_back(seed.value);
    }
    return seeds;
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

} // namespace

Study read_study(const std::filesystem::path& file, const config::FileFinder& finder)
{
    const Node root = config::load_yaml(file);
    MapReader reader(root, "");
    Study study;
    study.name = reader.string("name", file.stem().string());
    const std::string scenario = reader.string("scenario");
    const Node* scenario_node = reader.raw("scenario", false);
    std::vector<std::string> common;
    if (const Node* set = reader.raw("set", false))
        common = read_overrides(*set, "set");
    study.points = read_all_points(reader, common);
    study.seeds = read_seeds(reader);
    study.columns = read_columns(reader, "columns");
    if (const Node* checks = reader.raw("checks", false)) {
        if (!checks->is_list())
            throw reader.error("checks", "is " + std::string(checks->kind_name()) +
                                             "; expected a list of checks");
        for (const Node& check : checks->items)
            study.checks.push_back(parse_check(check));
    }
    reader.finish();
    study.scenario = finder.within(file.parent_path()).file(scenario, scenario_node->place);
    check_names(study);
    for (const Point& point : study.points)
        (void)config::load_scenario({study.scenario.string(), point.overrides, {}}, finder);
    return study;
}

} // namespace levee::sweep
