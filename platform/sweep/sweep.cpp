#include "platform/sweep/sweep.hpp"

#include "platform/report/output_folder.hpp"
#include "platform/run/progress.hpp"
#include "platform/run/versions.hpp"
#include "platform/sweep/processes.hpp"
#include "platform/sweep/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

constexpr int cannot_be_used = 2; // exit code of `levee run`

struct Run {
    const Point* point;
    std::string seed;
    fs::path folder;
};

std::vector<Run> plan_runs(const Study& study, const fs::path& out)
{
    std::vector<Run> runs;
    for (const Point& point : study.points) {
        const fs::path folder = out / "runs" / point.name;
        if (study.seeds.empty())
            runs.push_back({&point, "", folder});
        for (const std::uint64_t seed : study.seeds)
            runs.push_back(
                {&point, std::to_string(seed), folder / ("seed" + std::to_string(seed))});
    }
    return runs;
}

Job job_of(const Run& run, const Study& study)
{
    Job job;
    job.command = {fs::read_symlink("/proc/self/exe").string(),
                   "run",
                   study.scenario.string(),
                   "--quiet",
                   "--out",
                   run.folder.string()};
    if (!run.seed.empty())
        job.command.insert(job.command.end(), {"--seed", run.seed});
    for (const std::string& text : run.point->overrides)
        job.command.insert(job.command.end(), {"--set", text});
    job.log = run.folder / "log.txt";
    return job;
}

std::string title(const Run& run)
{
    return run.point->name + (run.seed.empty() ? "" : ", seed " + run.seed);
}

std::string last_line(std::istream& stream)
{
    std::string last;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty())
            last = line;
    return last;
}

/// What a failed run said last: the platform in its log, or the firmware.
std::string last_words(const Run& run, const Job& job)
{
    std::ifstream log(job.log);
    const std::string words = last_line(log);
    std::ifstream file(run.folder / "results.json");
    if (!words.empty() || !file)
        return words;
    std::istringstream text(nlohmann::json::parse(file).value("text", ""));
    return last_line(text);
}

/// The runs' failures, as a user should read them.
std::vector<std::string> execute(const Study& study, const std::vector<Run>& runs,
                                 const SweepRequest& request)
{
    std::vector<Job> jobs;
    for (const Run& run : runs) {
        const OutputFolder folder(run.folder);
        std::error_code none_there;
        fs::remove(run.folder / "results.json", none_there);
        jobs.push_back(job_of(run, study));
    }
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    Progress progress(jobs.size(), request.quiet, "runs");
    std::vector<std::string> failures;
    run_all(jobs, request.jobs != 0 ? request.jobs : cores, [&](std::size_t index, int code) {
        progress.step();
        if (code != 0) {
            failures.push_back(title(runs[index]) + ": the run ended with " + std::to_string(code) +
                               ": " + last_words(runs[index], jobs[index]) + " (" +
                               jobs[index].log.string() + ")");
        }
        return code != cannot_be_used;
    });
    return failures;
}

double figure(const nlohmann::json& metrics, const std::string& name, const Column& column,
              const std::string& run)
{
    const auto found = metrics.find(name);
    if (found != metrics.end() && found->is_number())
        return found->get<double>();
    std::vector<std::string> names;
    for (const auto& [known, value] : metrics.items())
        if (value.is_number())
            names.push_back(known);
    const std::string near = config::nearest(name, names);
    throw config::Error(column.place, "the results of " + run + " have no figure '" + name + "'" +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Row read_row(const Run& run, const std::vector<Column>& columns)
{
    std::ifstream stream(run.folder / "results.json");
    const nlohmann::json results = nlohmann::json::parse(stream);
    const nlohmann::json& metrics = results.at("metrics");
    Row row{run.point->name, run.seed, {}};
    for (const Column& column : columns) {
        double value = figure(metrics, column.metric, column, title(run)) * column.scale;
        if (column.over)
            value /= figure(metrics, *column.over, column, title(run));
        row.values.push_back(value);
    }
    return row;
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
    const config::FileFinder finder(scenarios_folder());
    const Study study = read_study(finder.scenario(request.study), finder);
    const OutputFolder folder(request.out.value_or(fs::path("out") / study.name));
    const std::vector<Run> runs = plan_runs(study, fs::absolute(folder.path()));
    const std::vector<std::string> failures = execute(study, runs, request);
    if (!failures.empty()) {
        for (const std::string& failure : failures)
            std::fprintf(stderr, "%s\n", failure.c_str());
        std::fprintf(stderr, "%zu of %zu runs failed: no table\n", failures.size(), runs.size());
        return sweep_failed;
    }
    std::vector<Row> rows;
    for (const Run& run : runs)
        rows.push_back(read_row(run, study.columns));
    const std::vector<Row> points = means(rows);
    bool all_hold = true;
    std::string text = table_text(study.columns, points);
    if (!study.checks.empty())
        text += "\n" + verdicts(study, points, all_hold);
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
