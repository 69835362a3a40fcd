// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sweep.hpp"

#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/run.hpp"
#include "platform/run/stop_signals.hpp"
#include "platform/studies/sweep/metric_names.hpp"
#include "platform/studies/sweep/report_files.hpp"
#include "platform/studies/sweep/runner.hpp"
#include "platform/studies/sweep/shards.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

/// Executes a study's runs in a folder, except those that are already done.
class Sweep {
public:
    Sweep(const Work& work, const Plan& plan, const SweepRequest& request)
        : work_(work), plan_(plan), request_(request), folder_(work.out)
    {
        if (!request.resume)
            Store(folder_.path(), Shard{}).clear(); // no shard may be running, which the lock
                                                    // ensures
        if (runs_elsewhere(request))
            store_.emplace(folder_.path());
        else
            store_.emplace(folder_.path(), request.shard);
        const std::string warning = store_->read(plan, work.study);
        if (!warning.empty())
            std::fprintf(stderr, "%s", warning.c_str());
    }

    /// Lets a job array or commands execute the remaining runs, and reads what they have recorded.
    void run_elsewhere()
    {
        SlurmArray array = array_of(work_, request_, "sweep");
        const std::vector<std::size_t> left = runs_left();
        for (unsigned shard = 1; shard <= array.of; ++shard)
            if (std::any_of(left.begin(), left.end(), [&](std::size_t i) {
                    return Shard{shard, array.of}.has(i);
                }))
                array.shards.push_back(shard);
        const std::size_t all = runs_of_shard().size();
        Announcer announcer(all, all - left.size(), request_.quiet);
        JournalWatch watch(folder_.path());
        if (!left.empty())
            run_tasks(array, request_, [&] { announcer.ended(watch.added()); });
        announcer.ended(watch.added());
        store_.reset(); // the tasks have ended, so the folder can be locked for this process alone
        store_.emplace(folder_.path(), Shard{});
        (void)store_->read(plan_, work_.study, true);
        for (const unsigned shard : array.shards)
            warn_of_missing(array, shard, left);
    }

    /// Executes the shard's remaining runs. Throws std::runtime_error if a result cannot be
    /// recorded.
    void run()
    {
        const std::vector<std::size_t> left = runs_left();
        const std::size_t all = runs_of_shard().size();
        Announcer announcer(all, all - left.size(), request_.quiet);
        store_->open();
        run_recorded(work_, plan_, left, *store_, scratch_folder(folder_.path(), request_.shard),
                     request_.jobs, announcer);
    }

    /// Writes the tables, unless this is a shard. Returns the exit code of the sweep.
    int finish()
    {
        const FindOutcome find = [&](const std::string& key) { return store_->find(key); };
        if (request_.shard.whole())
            return report(work_.study, plan_, find, folder_, request_.quiet) ? 0 : sweep_failed;
        const std::vector<std::size_t> runs = runs_of_shard();
        const auto failed = std::count_if(runs.begin(), runs.end(), [&](std::size_t i) {
            return !store_->find(plan_.runs[i].key)->error.empty();
        });
        if (!request_.quiet)
            std::printf("shard %u/%u: %zu runs done, %zu failed; the sweep without --shard makes "
                        "the table\n",
                        request_.shard.index, request_.shard.of, runs.size(),
                        static_cast<std::size_t>(failed));
        return failed == 0 ? 0 : sweep_failed;
    }

    /// Returns a text such as "3 of 8 runs are done".
    [[nodiscard]] std::string state() const
    {
        const std::size_t all = runs_of_shard().size();
        return std::to_string(all - runs_left().size()) + " of " + std::to_string(all) +
               " runs are done";
    }

private:
    [[nodiscard]] std::vector<std::size_t> runs_of_shard() const
    {
        return runs_of(plan_, request_.shard);
    }

    /// Warns if runs of an ended task have no record. `planned` are the runs of all tasks.
    void warn_of_missing(const SlurmArray& array, unsigned shard,
                         const std::vector<std::size_t>& planned) const
    {
        std::vector<std::size_t> its;
        std::ranges::copy_if(planned, std::back_inserter(its), [&](std::size_t run) {
            return Shard{shard, array.of}.has(run);
        });
        const std::size_t missing = without_record(its, plan_, *store_).size();
        if (missing != 0)
            std::fprintf(stderr, "shard %u/%u: %zu of its %zu runs did not finish; see %s\n", shard,
                         array.of, missing, its.size(),
                         array.log_of(std::to_string(shard)).c_str());
    }

    [[nodiscard]] std::vector<std::size_t> runs_left() const
    {
        return without_record(runs_of_shard(), plan_, *store_);
    }

    const Work& work_;
    const Plan& plan_;
    const SweepRequest& request_;
    OutputFolder folder_;
    std::optional<Store> store_;
};

/// Lists the points, and whether each can run. Returns an exit code.
int list_points(const Study& study, const Plan& plan)
{
    std::size_t refused = 0, point = study.points.size();
    for (const PlannedRun& run : plan.runs) {
        if (run.point == point)
            continue;
        point = run.point;
        std::printf("%s", study.points[point].name.c_str());
        for (const std::string& text : study.points[point].overrides)
            std::printf("  %s", text.c_str());
        std::printf("\n");
        refused += run.error.empty() ? 0 : 1;
        if (!run.error.empty())
            std::printf("    cannot start: %s\n", run.error.c_str());
    }
    std::printf("%zu points, %zu runs", study.points.size(), plan.runs.size());
    if (refused != 0)
        std::printf("; %zu points cannot start", refused);
    std::printf("\n");
    return refused == 0 ? 0 : run_not_begun;
}

void warn_of_refused(const Plan& plan)
{
    std::size_t refused = 0;
    for (const PlannedRun& run : plan.runs)
        if (!run.error.empty() && refused++ == 0)
            std::fprintf(stderr, "%s\n", run.error.c_str());
    if (refused != 0)
        std::fprintf(stderr, "%zu of %zu runs cannot start and are skipped (first error: above)\n",
                     refused, plan.runs.size());
}

} // namespace

int run_sweep(const SweepRequest& request)
{
    if (!request.resume && !request.shard.whole())
        throw config::Error("'--no-resume' cannot be used with '--shard', since it would discard "
                            "the work of other shards; expected one of the two (to start over with "
                            "shards, remove *" +
                            std::string(journal_extension) +
                            " from the folder before the first shard starts)");
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    Study study = read_study(finder.study(request.study), finder, request.overrides);
    study.keep = study.keep || request.keep;
    const config::ScenarioSource source(study.scenario.string(), finder);
    const Plan plan = make_plan(study, source);
    check_metrics(study, MetricNames(plan));
    if (study.axes_refused && !request.quiet)
        std::fprintf(stderr,
                     "warning: %s: no point of the axes fulfils 'where', so only the named points "
                     "are run; change 'where' to run others\n",
                     study.file.c_str());
    if (request.dry_run)
        return list_points(study, plan);
    if (!request.quiet)
        warn_of_refused(plan);
    const Work work{study, source, fs::absolute(request.out.value_or(fs::path("out") / study.name)),
                    request.allow_outside};
    check_inputs(study, plan, work.out);
    Sweep sweep(work, plan, request);
    try {
        if (runs_elsewhere(request))
            sweep.run_elsewhere();
        else
            sweep.run();
        return sweep.finish();
    } catch (const std::runtime_error& error) {
        const bool interrupted = dynamic_cast<const Interrupted*>(&error) != nullptr;
        std::fprintf(stderr, "%s\nthe sweep has stopped: %s; the same command continues it\n",
                     error.what(), sweep.state().c_str());
        return interrupted ? ended_by_signal : sweep_failed;
    }
}

} // namespace levee::sweep
