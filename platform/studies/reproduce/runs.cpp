// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/runs.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/output_file.hpp"
#include "core/config/regular_file.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/run/progress.hpp"
#include "platform/run/run.hpp"
#include "platform/studies/sweep/content_hash.hpp"
#include "platform/studies/sweep/forks.hpp"
#include "platform/studies/sweep/shared_prices.hpp"
#include "platform/studies/sweep/warning_tally.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

namespace levee::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_said = 5000; // a message may repeat a whole file

fs::path log_of(const Run& run)
{
    return run.folder / "log.txt";
}

/// Returns a file that identifies the results in the folder. It has the run's key and a hash of the
/// results.
fs::path stamp_of(const Run& run)
{
    return run.folder / "done";
}

std::string stamp_text(const Run& run)
{
    return run.key + " " + sweep::FileHashes().of(run.folder / "results.json") + "\n";
}

bool is_done(const Run& run)
{
    std::ifstream stream = config::regular_stream(stamp_of(run));
    std::string stamp;
    std::error_code ignored;
    return std::getline(stream, stamp) && !stream.eof() &&
           fs::is_regular_file(run.folder / "results.json", ignored) &&
           stamp + "\n" == stamp_text(run);
}

void mark_done(const Run& run)
{
    write_atomically(stamp_of(run), stamp_text(run));
}

/// Removes earlier results. The stamp is removed first, so that a run does not count as done while
/// its results are being removed.
void make_ready(const Run& run, const fs::path& out)
{
    config::make_inner_folder(out, run.folder);
    const OutputFolder folder(run.folder);
    folder.remove(stamp_of(run).filename().string());
    folder.remove(log_of(run).filename().string());
    folder.remove("results.json");
}

RunRequest request_of(const Run& run, const config::ScenarioSource& source, bool allow_outside)
{
    RunRequest request;
    request.scenario = run.scenario.string();
    request.source = &source;
    request.overrides = run.overrides;
    request.allow_outside = allow_outside;
    request.quiet = true;
    request.report = false;
    request.out = run.folder;
    return request;
}

/// Executes a run in this process, like `levee run`. Returns the exit code.
int run_here(const RunRequest& request)
{
    try {
        return run_scenario(request);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", config::shortened(error.what(), most_said).c_str());
        return run_not_begun;
    }
}

/// Indices of runs with the same prefill. The first run simulates this prefill.
using Group = std::vector<std::size_t>;

std::vector<Group> groups_of(const std::vector<Run>& runs, const std::vector<std::size_t>& left)
{
    std::vector<Group> groups;
    std::map<std::string, std::size_t> known;
    for (const std::size_t i : left) {
        const auto [found, is_new] = known.emplace(runs[i].prefill, groups.size());
        if (is_new)
            groups.emplace_back();
        groups[found->second].push_back(i);
    }
    return groups;
}

class Batch {
public:
    Batch(const std::vector<Run>& runs, std::size_t left, const Sources& sources,
          const Execution& execution)
        : runs_(runs), sources_(sources), execution_(execution),
          progress_(left, execution.quiet, "runs")
    {
    }

    /// Executes the groups. Some runs cannot continue from their group's first run, because it has
    /// failed or its memory layout differs. These runs are returned, each in its own group.
    [[nodiscard]] std::vector<Group> run(const std::vector<Group>& groups)
    {
        std::vector<Group> alone;
        const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
        const auto task = [&](std::size_t index, unsigned /*slot*/, int output) {
            return run_group(groups[index], output);
        };
        sweep::run_forks(groups.size(), execution_.jobs != 0 ? execution_.jobs : cores, task,
                         sweep::shared_prices(), [&](std::size_t index, const sweep::Ended& ended) {
                             const Group& group = groups[index];
                             finish(group.front(), ended.code);
                             for (const std::size_t run : copies_left(group, ended.output))
                                 alone.push_back({run});
                             return true;
                         });
        return alone;
    }

    [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }

private:
    [[nodiscard]] RunRequest request(std::size_t run) const
    {
        return request_of(runs_[run], sources_.of(runs_[run].scenario), execution_.allow_outside);
    }

    /// Executes a group in its own process: the first run there, and the others in copies of the
    /// process. A copy writes its index to `output` if it succeeds.
    [[nodiscard]] int run_group(const Group& group, int output) const
    {
        if (execution_.lock != nullptr)
            execution_.lock->leave_to_parent();
        RunRequest others;
        std::size_t run = group.front();
        const auto at_decode = [&]() -> const RunRequest* {
            for (std::size_t i = 1; i < group.size(); ++i)
                if (sweep::go_on_in_copy()) {
                    run = group[i];
                    sweep::print_into(log_of(runs_[run]));
                    std::printf("prefill: shared with the run %s\n",
                                runs_[group.front()].title.c_str());
                    others = request(run);
                    return &others;
                }
            return nullptr;
        };
        sweep::print_into(log_of(runs_[run]));
        RunRequest first = request(run);
        first.at_decode = at_decode;
        const int code = run_here(first);
        if (code == 0)
            mark_done(runs_[run]);
        if (run != group.front() && code == 0)
            sweep::hand_over(std::to_string(run) + '\n', output);
        return code;
    }

    /// Marks the runs whose indices are in `handed` as finished. Returns the group's unfinished
    /// runs, except the first run.
    [[nodiscard]] std::vector<std::size_t> copies_left(const Group& group,
                                                       const std::string& handed)
    {
        std::set<std::size_t> ended;
        std::istringstream lines(handed);
        for (std::size_t run = 0; lines >> run;) {
            ended.insert(run);
            finish(run, 0);
        }
        std::vector<std::size_t> left;
        for (std::size_t i = 1; i < group.size(); ++i)
            if (!ended.contains(group[i]))
                left.push_back(group[i]);
        return left;
    }

    void finish(std::size_t index, int code);

    const std::vector<Run>& runs_;
    const Sources& sources_;
    const Execution& execution_;
    Progress progress_;
    std::vector<Failure> failures_;
};

std::string last_line(std::istream& stream)
{
    std::string last;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty())
            last = line;
    return last;
}

/// Returns the last message of a failed run, from the platform's log or from the firmware.
std::string last_words(const Run& run)
{
    std::ifstream log = config::regular_stream(log_of(run));
    const std::string words = last_line(log);
    const auto results = config::bounded_json_file(run.folder / "results.json");
    if (!words.empty() || !results || !results->is_object())
        return words;
    std::istringstream text(results->value("text", ""));
    return last_line(text);
}

void Batch::finish(std::size_t index, int code)
{
    const Run& run = runs_[index];
    progress_.step();
    if (code != 0)
        failures_.push_back({index, run.title + ": the run ended with exit code " +
                                        std::to_string(code) + ": " + last_words(run) + " (" +
                                        log_of(run).string() + ")"});
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
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (!execution.resume || !is_done(runs[i]))
            left.push_back(i);
    for (const std::size_t i : left)
        make_ready(runs[i], execution.out);
    if (!execution.quiet && left.size() != runs.size())
        std::fprintf(stderr, "%zu of %zu runs are done already\n", runs.size() - left.size(),
                     runs.size());
    Batch batch(runs, left.size(), sources, execution);
    for (std::vector<Group> groups = groups_of(runs, left); !groups.empty();)
        groups = batch.run(groups);
    return batch.failures();
}

namespace {

nlohmann::json results_of(const Run& run)
{
    auto results = config::bounded_json_file(run.folder / "results.json");
    if (!results || !results->is_object())
        throw std::runtime_error((run.folder / "results.json").string() +
                                 ": expected the results of a run");
    return *std::move(results);
}

} // namespace

nlohmann::json read_metrics(const Run& run)
{
    return results_of(run).at("metrics");
}

std::string warnings_text(const std::vector<Run>& runs)
{
    sweep::WarningTally tally;
    for (const Run& run : runs) {
        if (!fs::exists(run.folder / "results.json"))
            continue;
        for (const nlohmann::json& warning : results_of(run).at("warnings"))
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
