// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sweep_data.hpp"

#include <map>

namespace levee::sweep {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;

Json axis_data(const Axis& axis)
{
    const char* const kind = axis.kind == Axis::Kind::Labels ? "labels"
                             : axis.kind == Axis::Kind::List ? "list"
                                                             : "range";
    const bool log = axis.range && axis.range->logarithmic();
    return {{"name", axis.name},
            {"kind", kind},
            {"keys", axis.keys},
            {"unit", axis.unit},
            {"scale", log ? "log" : "linear"}};
}

Json column_data(const Column& column)
{
    Json data{{"name", column.name}, {"metric", column.metric}};
    if (column.over)
        data["over"] = *column.over;
    data["scale"] = column.scale;
    return data;
}

Json cell_data(const Cell& cell)
{
    if (const auto* number = std::get_if<double>(&cell))
        return *number;
    if (const auto* text = std::get_if<std::string>(&cell))
        return *text;
    return nullptr;
}

Json cells_data(const Study& study, const std::vector<Cell>& cells)
{
    Json data = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i)
        data[study.columns[i].name] = cell_data(cells[i]);
    return data;
}

Json place_data(const Study& study, const Point& point)
{
    Json data = Json::object();
    for (std::size_t i = 0; i < point.at.size(); ++i) {
        const Coordinate& at = point.at[i];
        Json& value = data[study.axes[i].name];
        if (at.label.empty())
            continue; // the value stays null, since the axis does not apply
        value["label"] = at.label;
        if (at.number)
            value["value"] = *at.number;
    }
    return data;
}

Json point_data(const Study& study, const PointRow& row, const std::vector<const Row*>& runs)
{
    Json data{{"name", study.points[row.point].name},
              {"axes", place_data(study, study.points[row.point])},
              {"metrics", cells_data(study, row.cells)}};
    Json intervals = Json::object();
    for (std::size_t i = 0; i < row.half_widths.size(); ++i)
        if (row.half_widths[i])
            intervals[study.columns[i].name] = *row.half_widths[i];
    if (!intervals.empty())
        data["half_widths_95"] = std::move(intervals);
    for (std::size_t i = 0; i < row.intervals.size(); ++i)
        if (row.intervals[i])
            data["intervals"][study.columns[i].name] = {row.intervals[i]->low,
                                                        row.intervals[i]->high};
    if (!study.objectives.empty())
        data["pareto"] = row.pareto;
    if (!row.error.empty())
        data["error"] = row.error;
    for (const Row* run : runs) {
        if (study.seeds.empty() && run->folder.empty())
            continue;
        Json one = Json::object();
        if (!run->seed.empty())
            one["seed"] = std::stoull(run->seed);
        one["metrics"] = cells_data(study, run->cells);
        if (!run->folder.empty())
            one["folder"] = run->folder;
        if (!run->error.empty())
            one["error"] = run->error;
        data["runs"].push_back(std::move(one));
    }
    return data;
}

} // namespace

Json sweep_data(const Study& study, const std::vector<Row>& rows,
                const std::vector<PointRow>& points, const std::vector<std::string>& warnings)
{
    std::map<std::size_t, std::vector<const Row*>> runs;
    for (const Row& row : rows)
        runs[row.point].push_back(&row);
    Json data{{"format", format},
              {"name", study.name},
              {"scenario", study.scenario.filename().string()},
              {"axes", Json::array()},
              {"columns", Json::array()},
              {"objectives", Json::array()},
              {"seeds", study.seeds},
              {"warnings", warnings},
              {"points", Json::array()}};
    for (const Axis& axis : study.axes)
        data["axes"].push_back(axis_data(axis));
    for (const Column& column : study.columns)
        data["columns"].push_back(column_data(column));
    for (const Objective& objective : study.objectives)
        data["objectives"].push_back({{"column", study.columns[objective.column].name},
                                      {"direction", objective.maximize ? "maximize" : "minimize"}});
    for (const PointRow& point : points)
        data["points"].push_back(point_data(study, point, runs[point.point]));
    return data;
}

} // namespace levee::sweep
