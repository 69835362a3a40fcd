// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/runs.hpp"

#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/run/progress.hpp"
#include "platform/studies/run/run.hpp"
#include "platform/studies/sweep/forks.hpp"
#include "platform/studies/sweep/shared_prices.hpp"
#include "platform/studies/sweep/warning_tally.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

namespace levee::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr int cannot_be_used = 2;       // exit code of `levee run`
constexpr std::size_t most_said = 5000; // bytes of a message that may echo a file

fs::path log_of(const Run& run)
{
    return run.folder / "log.txt";
}

/// Runs it in this process, as `levee run` does. Returns the exit code.
int run_here(const Run& run, const config::ScenarioSource& source, bool allow_outside)
{
    sweep::print_into(log_of(run));
    RunRequest request;
    request.scenario = run.scenario.string();
    request.source = &source;
    request.overrides = run.overrides;
    request.allow_outside = allow_outside;
    request.quiet = true;
    request.report = false;
    request.out = run.folder;
    try {
        return run_scenario(request);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", config::shortened(error.what(), most_said).c_str());
        return cannot_be_used;
    }
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
std::string last_words(const Run& run)
{
    std::ifstream log(log_of(run));
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

void Sources::add(const fs::path& scenario)
{
    if (!all_.contains(scenario))
        all_.try_emplace(scenario, scenario.string(), finder_);
}

const config::ScenarioSource& Sources::of(const fs::path& scenario) const
{
    return all_.at(scenario);
}

std::vector<Failure> execute(const std::vector<Run>& runs, const Sources& sources,
                             const Execution& execution)
{
    for (const Run& run : runs) {
        const OutputFolder folder(run.folder);
        std::error_code none_there;
        fs::remove(run.folder / "results.json", none_there);
    }
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    Progress progress(runs.size(), execution.quiet, "runs");
    std::vector<Failure> failures;
    const auto task = [&](std::size_t index, unsigned /*slot*/, int /*output*/) {
        return run_here(runs[index], sources.of(runs[index].scenario), execution.allow_outside);
    };
    sweep::run_forks(runs.size(), execution.jobs != 0 ? execution.jobs : cores, task,
                     sweep::shared_prices(), [&](std::size_t index, const sweep::Ended& ended) {
                         progress.step();
                         if (ended.code != 0)
                             failures.push_back({index, runs[index].title +
                                                            ": the run ended with " +
                                                            std::to_string(ended.code) + ": " +
                                                            last_words(runs[index]) + " (" +
                                                            log_of(runs[index]).string() + ")"});
                         return true;
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
