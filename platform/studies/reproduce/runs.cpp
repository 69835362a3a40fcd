// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/runs.hpp"

#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/reproduce/processes.hpp"
#include "platform/studies/run/progress.hpp"
#include "platform/studies/sweep/warning_tally.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

namespace levee::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr int cannot_be_used = 2; // exit code of `levee run`

Job job_of(const Run& run, bool allow_outside)
{
    Job job;
    job.command = {fs::read_symlink("/proc/self/exe").string(),
                   "run",
                   run.scenario.string(),
                   "--quiet",
                   "--no-report",
                   "--out",
                   run.folder.string()};
    if (!run.seed.empty())
        job.command.insert(job.command.end(), {"--seed", run.seed});
    for (const std::string& text : run.overrides)
        job.command.insert(job.command.end(), {"--set", text});
    if (allow_outside)
        job.command.emplace_back("--allow-outside");
    job.log = run.folder / "log.txt";
    return job;
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

double metric(const nlohmann::json& metrics, const std::string& name, const sweep::Column& column,
              const std::string& title)
{
    const auto found = metrics.find(name);
    if (found != metrics.end() && found->is_number())
        return found->get<double>();
    std::vector<std::string> names;
    for (const auto& [known, value] : metrics.items())
        if (value.is_number())
            names.push_back(known);
    const std::string near = config::nearest(name, names);
    throw config::Error(column.place, "the results of " + title + " have no figure '" + name + "'" +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

} // namespace

std::vector<Failure> execute(const std::vector<Run>& runs, const Execution& execution)
{
    std::vector<Job> jobs;
    for (const Run& run : runs) {
        const OutputFolder folder(run.folder);
        std::error_code none_there;
        fs::remove(run.folder / "results.json", none_there);
        jobs.push_back(job_of(run, execution.allow_outside));
    }
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    Progress progress(jobs.size(), execution.quiet, "runs");
    std::vector<Failure> failures;
    run_all(jobs, execution.jobs != 0 ? execution.jobs : cores, [&](std::size_t index, int code) {
        progress.step();
        if (code != 0)
            failures.push_back({index, runs[index].title + ": the run ended with " +
                                           std::to_string(code) + ": " +
                                           last_words(runs[index], jobs[index]) + " (" +
                                           jobs[index].log.string() + ")"});
        return !execution.stop_early || code != cannot_be_used;
    });
    return failures;
}

nlohmann::json read_metrics(const Run& run)
{
    std::ifstream stream(run.folder / "results.json");
    return nlohmann::json::parse(stream).at("metrics");
}

std::string warnings_text(const std::vector<Run>& runs)
{
    sweep::WarningTally tally;
    for (const Run& run : runs) {
        std::ifstream stream(run.folder / "results.json");
        if (!stream)
            continue;
        const nlohmann::json results = nlohmann::json::parse(stream);
        for (const nlohmann::json& warning : results.at("warnings"))
            tally.add(warning.get<std::string>());
    }
    std::string text;
    for (const std::string& line : tally.lines(runs.size()))
        text += "  " + line + "\n";
    return text.empty() ? "" : "warnings\n" + text;
}

double column_value(const nlohmann::json& metrics, const sweep::Column& column,
                    const std::string& title)
{
    const double value = metric(metrics, column.metric, column, title) * column.scale;
    return column.over ? value / metric(metrics, *column.over, column, title) : value;
}

} // namespace levee::reproduce
