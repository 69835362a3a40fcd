// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/profile/measured.hpp"

#include "ip/hostlink/regs.h"
#include "platform/observe/report/results.hpp"
#include "platform/run/run.hpp"
#include "platform/studies/sweep/forks.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace levee::profile_export {

namespace {

constexpr Measured::Pair no_point{0, 0};

/// A run, and the passes that it measures.
struct Task {
    std::vector<std::string> overrides;
    int kind; ///< the passes' kind, enum levee_mark
    std::vector<Measured::Pair> points;
};

std::string list_of(const std::vector<std::uint32_t>& values)
{
    std::string text;
    for (const std::uint32_t value : values)
        text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
}

/// Returns a task that measures decode steps of a batch. The prompt has one token. Steps between
/// the measured ones are not simulated, but they fill the cache.
Task steps_of(const Request& request, const Grid& grid, std::uint32_t batch)
{
    Task task{generating(request, batch, 1, grid.contexts.back() + 1), LEVEE_MARK_DECODE_STEP, {}};
    std::vector<std::uint32_t> steps;
    for (const std::uint32_t context : grid.contexts) {
        steps.push_back(context - 1);
        task.points.emplace_back(batch, context);
    }
    task.overrides.push_back("sampling={steps: " + list_of(steps) + ", chunks: [0]}");
    return task;
}

/// Returns a task that measures the last pass of a prompt. The first pass is simulated too, but its
/// time is not used. The passes in between are not simulated.
Task prefill_of(const Request& request, std::uint32_t tokens, std::uint32_t before,
                std::uint32_t full_chunk)
{
    Task task{generating(request, 1, before + tokens, 1), LEVEE_MARK_PREFILL_CHUNK, {}};
    std::vector<std::uint32_t> chunks{0};
    if (before != 0) {
        chunks.push_back(before / full_chunk);
        task.points.push_back(no_point);
    }
    task.points.emplace_back(tokens, before);
    task.overrides.push_back("sampling={steps: 2, chunks: " + list_of(chunks) + "}");
    return task;
}

/// Executes a run in this process, and writes the times of the passes to `output`, one per line.
int run(const Request& request, const Task& task, int output)
{
    std::string times;
    RunRequest one;
    one.scenario = request.scenario;
    one.overrides = task.overrides;
    one.allow_outside = request.allow_outside;
    one.quiet = true;
    one.report = false;
    one.take_results = [](const Results&) {};
    one.take_pass = [&](int kind, std::uint64_t ps) {
        if (kind == task.kind)
            times += std::to_string(ps) + "\n";
    };
    const int code = run_scenario(one);
    sweep::hand_over(times, output);
    return code;
}

void record(const Task& task, const sweep::Ended& ended, Measured& measured)
{
    std::istringstream lines(ended.output);
    std::vector<std::uint64_t> times;
    for (std::uint64_t ps = 0; lines >> ps;)
        times.push_back(ps);
    if (ended.code != 0 || times.size() != task.points.size())
        throw std::runtime_error("a run of the profile failed (" + task.overrides.back() +
                                 "): " + ended.log);
    auto& table = task.kind == LEVEE_MARK_DECODE_STEP ? measured.steps : measured.prefills;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (task.points[i] != no_point)
            table[task.points[i]] = times[i];
}

} // namespace

std::vector<std::string> generating(const Request& request, std::uint32_t batch,
                                    std::uint32_t prompt_tokens, std::uint32_t new_tokens)
{
    std::vector<std::string> overrides = request.overrides;
    for (const std::string& key : request.unset)
        overrides.push_back("workload." + key + "=null");
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::string>>{
             {"app", "generate"},
             {"sampling", "greedy"},
             {"stop_token", "none"},
             {"batch", std::to_string(batch)},
             {"prompt_tokens", std::to_string(prompt_tokens)},
             {"max_new_tokens", std::to_string(new_tokens)}})
        overrides.push_back(std::string("workload.") + key + "=" + value);
    overrides.emplace_back("data=timing_only");
    return overrides;
}

Measured measure(const Request& request, const Grid& grid, std::uint32_t full_chunk)
{
    std::vector<Task> tasks;
    for (const std::uint32_t batch : grid.batches)
        tasks.push_back(steps_of(request, grid, batch));
    for (const std::uint32_t before : grid.before)
        for (const std::uint32_t tokens : grid.chunks)
            tasks.push_back(prefill_of(request, tokens, before, full_chunk));
    Measured measured;
    const unsigned at_once =
        request.jobs != 0 ? request.jobs : std::max(1U, std::thread::hardware_concurrency());
    sweep::run_forks(
        tasks.size(), at_once,
        [&](std::size_t index, unsigned, int output) { return run(request, tasks[index], output); },
        {[] { return std::string(); }, [](const std::string&) {}},
        [&](std::size_t index, const sweep::Ended& ended) {
            record(tasks[index], ended, measured);
            return true;
        });
    return measured;
}

} // namespace levee::profile_export
