// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/table.hpp"

#include "platform/studies/sweep/measured.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace levee::sweep {

namespace {

std::string readable(double value, const std::optional<unsigned>& digits)
{
    std::array<char, 400> text{};
    char* const end = text.data() + text.size();
    constexpr int significant = 6;
    const auto result =
        digits ? std::to_chars(text.data(), end, value, std::chars_format::fixed,
                               static_cast<int>(*digits))
               : std::to_chars(text.data(), end, value, std::chars_format::general, significant);
    return {text.data(), result.ptr};
}

std::string csv_cell(const Cell& cell)
{
    if (const auto* number = std::get_if<double>(&cell))
        return exact(*number);
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr ? csv_field(*text) : "";
}

/// Returns for each column whether any row has a range in this column.
template <typename Rows> std::vector<bool> open_columns(const Study& study, const Rows& rows)
{
    std::vector<bool> open(study.columns.size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.intervals.size(); ++i)
            open[i] = open[i] || row.intervals[i];
    return open;
}

/// Returns the headings for the lower and the upper end of a column's ranges, if it has any.
std::string csv_interval_head(const Column& column, bool is_open)
{
    return is_open ? "," + csv_field(column.name + " low") + "," + csv_field(column.name + " high")
                   : "";
}

std::string csv_interval(const std::vector<std::optional<Interval>>& intervals, std::size_t column,
                         bool is_open)
{
    if (!is_open)
        return "";
    if (column >= intervals.size() || !intervals[column])
        return ",,";
    return "," + exact(intervals[column]->low) + "," + exact(intervals[column]->high);
}

std::string csv_head(const Study& study)
{
    std::string text = "point";
    for (const Axis& axis : study.axes)
        text += "," + csv_field(axis.name + (axis.unit.empty() ? "" : " [" + axis.unit + "]"));
    return text;
}

std::string csv_place(const Study& study, std::size_t index)
{
    const Point& point = study.points[index];
    std::string text = csv_field(point.name);
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        const Coordinate at = point.at.empty() ? Coordinate{} : point.at[axis];
        text += "," + (at.number ? exact(*at.number) : csv_field(at.label));
    }
    return text;
}

/// Returns whether `get` is true for any point.
template <typename Get> bool any(const std::vector<PointRow>& points, const Get& get)
{
    return std::any_of(points.begin(), points.end(), get);
}

std::string readable_cell(const PointRow& point, std::size_t column, const Column& how)
{
    const Cell& cell = point.cells[column];
    const auto* number = std::get_if<double>(&cell);
    if (number == nullptr)
        return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
    const std::optional<double>& half = point.half_widths[column];
    const std::optional<Interval>& open = point.intervals[column];
    return readable(*number, how.digits) +
           (half && *half > 0.0 ? " +- " + readable(*half, how.digits) : "") +
           (open ? " (" + readable(open->low, how.digits) + " to " +
                       readable(open->high, how.digits) + ")"
                 : "");
}

using Lines = std::vector<std::vector<std::string>>;

/// Returns a line with the names of the columns, and a line for each point.
Lines cells_of(const Study& study, const std::vector<PointRow>& points)
{
    const bool named =
        any(points, [&](const auto& row) { return study.points[row.point].at.empty(); });
    const bool failed = any(points, [](const auto& row) { return !row.error.empty(); });
    Lines lines(1 + points.size());
    const auto add = [&](const std::string& head, const auto& text_of) {
        lines[0].push_back(head);
        for (std::size_t i = 0; i < points.size(); ++i)
            lines[i + 1].push_back(text_of(points[i]));
    };
    if (named)
        add("point", [&](const PointRow& row) { return study.points[row.point].name; });
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
        add(study.axes[axis].name, [&](const PointRow& row) {
            const std::vector<Coordinate>& at = study.points[row.point].at;
            return at.empty() ? "" : at[axis].label;
        });
    for (std::size_t column = 0; column < study.columns.size(); ++column)
        add(study.columns[column].name,
            [&](const PointRow& row) { return readable_cell(row, column, study.columns[column]); });
    if (!study.objectives.empty())
        add("Pareto", [](const PointRow& row) { return row.pareto ? "*" : ""; });
    if (failed)
        add("error", [](const PointRow& row) { return row.error; });
    return lines;
}

} // namespace

std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string table_csv(const Study& study, const std::vector<Row>& rows)
{
    std::string text = csv_head(study) + ",seed";
    const std::vector<bool> open = open_columns(study, rows);
    for (std::size_t i = 0; i < study.columns.size(); ++i)
        text +=
            "," + csv_field(study.columns[i].name) + csv_interval_head(study.columns[i], open[i]);
    text += study.keep ? ",folder,error\n" : ",error\n";
    for (const Row& row : rows) {
        text += csv_place(study, row.point) + "," + row.seed;
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            text += "," + csv_cell(row.cells[i]) + csv_interval(row.intervals, i, open[i]);
        text += (study.keep ? "," + row.folder : "") + "," + csv_field(row.error) + "\n";
    }
    return text;
}

std::string points_csv(const Study& study, const std::vector<PointRow>& points)
{
    std::string text = csv_head(study) + ",runs";
    const std::vector<bool> open = open_columns(study, points);
    for (std::size_t i = 0; i < study.columns.size(); ++i)
        text += "," + csv_field(study.columns[i].name) + "," +
                csv_field(study.columns[i].name + " +-") +
                csv_interval_head(study.columns[i], open[i]);
    text += study.objectives.empty() ? ",error\n" : ",pareto,error\n";
    for (const PointRow& row : points) {
        text += csv_place(study, row.point) + "," + std::to_string(row.runs);
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            text += "," + csv_cell(row.cells[i]) + "," +
                    (row.half_widths[i] ? exact(*row.half_widths[i]) : "") +
                    csv_interval(row.intervals, i, open[i]);
        if (!study.objectives.empty())
            text += row.pareto ? ",1" : ",0";
        text += "," + csv_field(row.error) + "\n";
    }
    return text;
}

std::string table_text(const Study& study, const std::vector<PointRow>& points)
{
    const Lines lines = cells_of(study, points);
    std::vector<std::size_t> widths(lines[0].size());
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    const bool error = lines[0].back() == "error"; // the column of errors is aligned to the left,
                                                   // like the first one
    std::string text;
    for (const auto& line : lines) {
        std::string row = line[0] + std::string(widths[0] - line[0].size(), ' ');
        for (std::size_t i = 1; i < line.size(); ++i) {
            const std::string gap(widths[i] - line[i].size(), ' ');
            row += error && i + 1 == line.size() ? "  " + line[i] : "  " + gap + line[i];
        }
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

} // namespace levee::sweep
