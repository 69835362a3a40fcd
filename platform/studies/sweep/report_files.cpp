// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/report_files.hpp"

#include "platform/observe/report/json_text.hpp"
#include "platform/observe/report/page.hpp"
#include "platform/run/run_files.hpp"
#include "platform/studies/sweep/sweep_data.hpp"
#include "platform/studies/sweep/table.hpp"
#include "platform/studies/sweep/warning_tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

namespace levee::sweep {

namespace {

constexpr std::size_t most_printed = 60; // maximum number of points on a terminal

std::string number(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

/// Returns the best value of an objective among all points; NaN if no point has a value.
double best_of(const Study& study, const std::vector<PointRow>& points, std::size_t column)
{
    double best = std::numeric_limits<double>::quiet_NaN();
    for (const Objective& objective : study.objectives)
        for (const PointRow& row : points)
            if (const auto* figure = std::get_if<double>(&row.cells[column]);
                figure != nullptr && objective.column == column &&
                !(objective.maximize ? *figure <= best : *figure >= best))
                best = *figure;
    return best;
}

/// Returns the result of each check: "holds" or "FAILS", the check, and the values of both sides.
/// Sets `all` to false if one fails.
std::string verdicts(const Study& study, const std::vector<PointRow>& points, bool& all)
{
    const auto value = [&](const std::string& column, const std::string& point) {
        const auto row = std::find_if(points.begin(), points.end(), [&](const PointRow& r) {
            return study.points[r.point].name == point;
        });
        const auto place = std::find_if(study.columns.begin(), study.columns.end(),
                                        [&](const Column& c) { return c.name == column; });
        const auto index = static_cast<std::size_t>(place - study.columns.begin());
        if (row == points.end()) // the name "best" is reserved, so it is not a point
            return best_of(study, points, index);
        const Cell& cell = row->cells[index];
        const auto* figure = std::get_if<double>(&cell);
        return figure != nullptr ? *figure : std::numeric_limits<double>::quiet_NaN();
    };
    std::string text;
    for (const Check& check : study.checks) {
        const Verdict verdict = judge(check, value);
        all = all && verdict.holds;
        text += std::string(verdict.holds ? "holds  " : "FAILS  ") + check.text + "   (left side " +
                number(verdict.left) + ", right side " + number(verdict.right) + ")\n";
    }
    return text;
}

/// Returns whether a point has a range, instead of a value, for one of the objectives.
bool is_open(const Study& study, const std::vector<PointRow>& points)
{
    return std::ranges::any_of(points, [&](const PointRow& row) {
        return std::ranges::any_of(study.objectives, [&](const Objective& objective) {
            return row.intervals[objective.column].has_value();
        });
    });
}

std::string front_text(const Study& study, const std::vector<PointRow>& points)
{
    if (study.objectives.empty())
        return "";
    std::string text;
    for (const Objective& objective : study.objectives)
        text += (text.empty() ? "" : ", ") + std::string(objective.maximize ? "most " : "least ") +
                study.columns[objective.column].name;
    const auto best =
        std::count_if(points.begin(), points.end(), [](const PointRow& row) { return row.pareto; });
    return "\n" + std::to_string(best) + " of " + std::to_string(points.size()) +
           (best == 1 ? " points is " : " points are ") +
           (study.objectives.size() == 1 ? "best: " : "on the Pareto front: ") + text +
           (is_open(study, points) ? "; points whose intervals overlap are not ranked" : "") + "\n";
}

std::string warnings_text(const std::vector<std::string>& warnings)
{
    std::string text;
    for (const std::string& warning : warnings)
        text += "  " + warning + "\n";
    return text.empty() ? "" : "\nwarnings\n" + text;
}

/// Returns the table for the terminal. It has all points or, if these are too many, the best or the
/// first ones.
std::string shown(const Study& study, const std::vector<PointRow>& points)
{
    if (points.size() <= most_printed)
        return table_text(study, points);
    std::vector<PointRow> some;
    for (const PointRow& row : points)
        if (some.size() < most_printed && (study.objectives.empty() || row.pareto))
            some.push_back(row);
    return table_text(study, some) + "... " + std::to_string(some.size()) + " of " +
           std::to_string(points.size()) + " points; all are in table.txt\n";
}

bool say_failed(const std::vector<PointRow>& points)
{
    const auto failed = std::count_if(points.begin(), points.end(),
                                      [](const PointRow& row) { return !row.error.empty(); });
    if (failed != 0)
        std::fprintf(stderr, "%zu of %zu points failed; see the column 'error' of the table\n",
                     static_cast<std::size_t>(failed), points.size());
    return failed != 0;
}

} // namespace

std::vector<std::string> warnings_of(const Plan& plan, const FindOutcome& find)
{
    WarningTally tally;
    for (const PlannedRun& run : plan.runs)
        if (const Outcome* outcome = run.error.empty() ? find(run.key) : nullptr)
            for (const std::string& warning : outcome->warnings)
                tally.add(warning);
    return tally.lines(plan.runs.size());
}

void check_inputs(const Study& study, const Plan& plan, const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> read = plan.files;
    read.push_back(study.file);
    check_read("the study", read, {report_file::all.begin(), report_file::all.end()}, folder);
}

bool report(const Study& study, const Plan& plan, const FindOutcome& find,
            const OutputFolder& folder, bool quiet)
{
    const std::vector<Row> rows = rows_of(plan, study, find);
    const std::vector<PointRow> points = point_rows(rows, study);
    const std::vector<std::string> warnings = warnings_of(plan, find);
    bool all_hold = true;
    std::string below = front_text(study, points);
    if (!study.checks.empty())
        below += "\n" + verdicts(study, points, all_hold);
    below += warnings_text(warnings);
    folder.write(report_file::table, table_csv(study, rows));
    folder.write(report_file::points, points_csv(study, points));
    folder.write(report_file::text, table_text(study, points) + below);
    const nlohmann::ordered_json data = sweep_data(study, rows, points, warnings);
    folder.write(report_file::data, json_text(data));
    write_page(folder.path() / report_file::page, "sweep", data);
    if (!quiet)
        std::printf("%s%s\n%s\n", shown(study, points).c_str(), below.c_str(),
                    (folder.path() / report_file::table).c_str());
    std::fflush(stdout);
    const bool failed = say_failed(points);
    if (!all_hold)
        std::fprintf(stderr, "a check of the study %s fails; see table.txt\n", study.name.c_str());
    return all_hold && !failed;
}

} // namespace levee::sweep
