// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sweep.hpp"

#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/studies/sweep/runs.hpp"
#include "platform/studies/sweep/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

std::vector<Run> plan_runs(const Study& study, const fs::path& out)
{
    std::vector<Run> runs;
    const auto add = [&](const Point& point, const std::string& seed, const fs::path& folder) {
        runs.push_back({point.name + (seed.empty() ? "" : ", seed " + seed), study.scenario,
                        point.overrides, seed, folder});
    };
    for (const Point& point : study.points) {
        const fs::path folder = out / "runs" / point.name;
        if (study.seeds.empty())
            add(point, "", folder);
        for (const std::uint64_t seed : study.seeds)
            add(point, std::to_string(seed), folder / ("seed" + std::to_string(seed)));
    }
    return runs;
}

std::vector<Row> read_rows(const std::vector<Run>& runs, const Study& study)
{
    std::vector<Row> rows;
    const std::size_t runs_a_point = std::max<std::size_t>(1, study.seeds.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Row row{study.points[i / runs_a_point].name, runs[i].seed, {}};
        const nlohmann::json metrics = read_metrics(runs[i]);
        for (const Column& column : study.columns)
            row.values.push_back(column_value(metrics, column, runs[i].title));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string number(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

/// "holds" or "FAILS", the check, and what both sides are; sets `all` to false for the latter.
std::string verdicts(const Study& study, const std::vector<Row>& points, bool& all)
{
    const auto value = [&](const std::string& column, const std::string& point) {
        const auto row = std::find_if(points.begin(), points.end(),
                                      [&](const Row& r) { return r.point == point; });
        const auto place = std::find_if(study.columns.begin(), study.columns.end(),
                                        [&](const Column& c) { return c.name == column; });
        return row->values[static_cast<std::size_t>(place - study.columns.begin())];
    };
    std::string text;
    for (const Check& check : study.checks) {
        const Verdict verdict = judge(check, value);
        all = all && verdict.holds;
        text += std::string(verdict.holds ? "holds  " : "FAILS  ") + check.text + "   (" +
                number(verdict.left) + " against " + number(verdict.right) + ")\n";
    }
    return text;
}

} // namespace

int run_sweep(const SweepRequest& request)
{
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    const Study study = read_study(finder.scenario(request.study), finder);
    const OutputFolder folder(request.out.value_or(fs::path("out") / study.name));
    const std::vector<Run> runs = plan_runs(study, fs::absolute(folder.path()));
    const std::vector<Failure> failures = execute(runs, {.jobs = request.jobs,
                                                         .allow_outside = request.allow_outside,
                                                         .quiet = request.quiet,
                                                         .stop_early = true});
    if (!failures.empty()) {
        for (const Failure& failure : failures)
            std::fprintf(stderr, "%s\n", failure.message.c_str());
        std::fprintf(stderr, "%zu of %zu runs failed: no table\n", failures.size(), runs.size());
        return sweep_failed;
    }
    const std::vector<Row> rows = read_rows(runs, study);
    const std::vector<Row> points = means(rows);
    bool all_hold = true;
    std::string text = table_text(study.columns, points);
    if (!study.checks.empty())
        text += "\n" + verdicts(study, points, all_hold);
    if (const std::string warnings = warnings_text(runs); !warnings.empty())
        text += "\n" + warnings;
    folder.write("table.csv", table_csv(study.columns, rows));
    folder.write("table.txt", text);
    if (!request.quiet)
        std::printf("%s\n%s\n", text.c_str(), (folder.path() / "table.csv").c_str());
    if (!all_hold) {
        std::fflush(stdout);
        std::fprintf(stderr, "a check of %s does not hold\n", study.name.c_str());
    }
    return all_hold ? 0 : sweep_failed;
}

} // namespace levee::sweep
