// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/runner.hpp"

#include "platform/studies/sweep/forks.hpp"
#include "platform/studies/sweep/shared_prices.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <thread>

namespace levee::sweep {

namespace {

std::string title_of(const Work& work, const PlannedRun& run)
{
    return work.study.points[run.point].name +
           (run.seed ? ", seed " + std::to_string(*run.seed) : "");
}

} // namespace

std::vector<std::size_t> runs_of(const Plan& plan, const Shard& shard)
{
    std::vector<std::size_t> runs;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < plan.runs.size(); ++i)
        if (plan.runs[i].error.empty() && taken.insert(plan.runs[i].key).second && shard.has(i))
            runs.push_back(i);
    return runs;
}

std::vector<std::size_t> without_record(const std::vector<std::size_t>& runs, const Plan& plan,
                                        const Store& store)
{
    std::vector<std::size_t> left = runs;
    std::erase_if(left, [&](std::size_t i) { return store.find(plan.runs[i].key) != nullptr; });
    return left;
}

void run_recorded(const Work& work, const Plan& plan, const std::vector<std::size_t>& which,
                  Store& store, const std::filesystem::path& scratch, unsigned jobs,
                  Announcer& announcer)
{
    std::size_t at = 0;
    run_recorded(
        work, plan, [&] { return at < which.size() ? std::optional(which[at++]) : std::nullopt; },
        store, scratch, jobs,
        [&](std::size_t run) { announcer.ended(!store.find(plan.runs[run].key)->error.empty()); });
}

void run_recorded(const Work& work, const Plan& plan,
                  const std::function<std::optional<std::size_t>()>& next, Store& store,
                  const std::filesystem::path& scratch, unsigned jobs,
                  const std::function<void(std::size_t run)>& ended)
{
    const unsigned at_once = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
    const auto task = [&](std::size_t index, unsigned slot, int output) {
        store.leave_to_parent();
        return work_on(work, plan.runs[index], scratch / std::to_string(slot), output);
    };
    run_forks(next, at_once, task, shared_prices(), [&](std::size_t index, const Ended& end) {
        const PlannedRun& run = plan.runs[index];
        store.add(record_of(run.key, title_of(work, run), end), work.study);
        ended(index);
        return true;
    });
    std::filesystem::remove_all(scratch);
}

} // namespace levee::sweep
