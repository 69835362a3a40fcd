// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/rows.hpp"

#include "platform/studies/sweep/statistics.hpp"
#include "platform/studies/sweep/work.hpp"

#include <algorithm>
#include <iterator>

namespace levee::sweep {

namespace {

/// Combines one column's cells of all runs of a point.
Cell joined(const std::vector<Cell>& cells, std::optional<double>& half_width)
{
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (const Cell& cell : cells) {
        if (const auto* number = std::get_if<double>(&cell))
            numbers.push_back(*number);
        else if (const auto* text = std::get_if<std::string>(&cell))
            texts.push_back(*text);
    }
    if (numbers.size() == cells.size() && !cells.empty()) {
        const Mean mean = mean_of(numbers);
        if (numbers.size() > 1)
            half_width = mean.half_width;
        return mean.value;
    }
    if (texts.size() != cells.size() || cells.empty())
        return std::monostate{};
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : " | ") + text;
    return all;
}

/// Returns the range of one column over a point's runs.
std::optional<Interval> joined_interval(const std::vector<Row>& rows, std::size_t column)
{
    Interval sum;
    bool is_open = false;
    for (const Row& row : rows) {
        const auto* number = std::get_if<double>(&row.cells[column]);
        if (number == nullptr)
            return std::nullopt;
        const std::optional<Interval> own =
            column < row.intervals.size() ? row.intervals[column] : std::nullopt;
        is_open = is_open || own;
        sum.low += own ? own->low : *number;
        sum.high += own ? own->high : *number;
    }
    const auto runs = static_cast<double>(rows.size());
    return is_open ? std::optional(Interval{sum.low / runs, sum.high / runs}) : std::nullopt;
}

PointRow join(const std::vector<Row>& rows, std::size_t columns)
{
    PointRow point;
    point.point = rows.front().point;
    point.runs = rows.size();
    for (const Row& row : rows)
        if (point.error.empty() && !row.error.empty())
            point.error =
                (row.seed.empty() || rows.size() == 1 ? "" : "seed " + row.seed + ": ") + row.error;
    point.cells.resize(columns);
    point.half_widths.resize(columns);
    point.intervals.resize(columns);
    for (std::size_t column = 0; column < columns && point.error.empty(); ++column) {
        std::vector<Cell> cells;
        for (const Row& row : rows)
            cells.push_back(row.cells[column]);
        point.cells[column] = joined(cells, point.half_widths[column]);
        point.intervals[column] = joined_interval(rows, column);
    }
    return point;
}

/// Marks the points on the Pareto front. A point without a number for each objective is not on it.
void mark_front(std::vector<PointRow>& points, const std::vector<Objective>& objectives)
{
    if (objectives.empty())
        return;
    std::vector<std::size_t> judged;
    std::vector<std::vector<Interval>> values;
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<Interval> value;
        for (const Objective& objective : objectives)
            if (const auto* number = std::get_if<double>(&points[i].cells[objective.column])) {
                const Interval its =
                    points[i].intervals[objective.column].value_or(Interval{*number, *number});
                value.push_back(objective.maximize ? its : Interval{-its.high, -its.low});
            }
        if (value.size() != objectives.size())
            continue;
        judged.push_back(i);
        values.push_back(std::move(value));
    }
    const std::vector<bool> front = front_of_intervals(values);
    for (std::size_t i = 0; i < judged.size(); ++i)
        points[judged[i]].pareto = front[i];
}

} // namespace

std::vector<Row> rows_of(const Plan& plan, const Study& study, const FindOutcome& find)
{
    std::vector<Row> rows;
    for (const PlannedRun& run : plan.runs) {
        Row row{.point = run.point, .seed = run.seed ? std::to_string(*run.seed) : ""};
        row.cells.resize(study.columns.size());
        row.error = run.error;
        const Outcome* outcome = row.error.empty() ? find(run.key) : nullptr;
        if (row.error.empty())
            row.error = outcome == nullptr ? "not run" : outcome->error;
        if (row.error.empty())
            row.cells = outcome->cells;
        if (row.error.empty())
            row.intervals = outcome->intervals;
        if (study.keep && outcome != nullptr)
            row.folder = kept_folder(run.key);
        std::replace(row.error.begin(), row.error.end(), '\n', ' ');
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<PointRow> point_rows(const std::vector<Row>& rows, const Study& study)
{
    std::vector<PointRow> points;
    for (auto begin = rows.begin(); begin != rows.end();) {
        const auto end = std::find_if(begin, rows.end(),
                                      [&](const Row& row) { return row.point != begin->point; });
        points.push_back(join({begin, end}, study.columns.size()));
        begin = end;
    }
    mark_front(points, study.objectives);
    return points;
}

} // namespace levee::sweep
