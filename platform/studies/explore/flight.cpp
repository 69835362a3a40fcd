// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/explore/flight.hpp"

#include "platform/studies/sweep/content_hash.hpp"
#include "platform/studies/sweep/report_files.hpp"
#include "platform/studies/sweep/shards.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace levee::explore {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_attempts = 1'000; // refused proposals after which the space counts as
                                             // exhausted

/// Hash that identifies the first points, without their results.
std::string identity_of(const std::vector<sweep::Point>& points)
{
    std::string all;
    for (const sweep::Point& point : points) {
        all += point.name + '\n';
        for (const std::string& text : point.overrides)
            all += text + '\n';
    }
    return sweep::hex(sweep::checksum(all));
}

} // namespace

std::optional<Begun> begun_flight(const fs::path& folder)
{
    const nlohmann::json head = Trials::head_in(folder);
    if (!head.is_object() || !head.contains("start") || !head.contains("whole"))
        return std::nullopt;
    return Begun{head.at("start"), head.at("whole")};
}

void check_kind(const fs::path& out, const Request& request, bool is_flight)
{
    std::error_code none_there;
    const bool goes_on = request.resume && fs::exists(out / Trials::file_name, none_there);
    if (goes_on && (request.generation || !is_flight))
        throw config::Error((request.generation ? "--generation: " : "") +
                            (out / Trials::file_name).string() +
                            " records an exploration in flight (by --in-flight, --shard or "
                            "--executor), which has no generations; expected another '--out', "
                            "'--no-resume' or no '--generation'");
    if (request.resume && is_flight && !goes_on && fs::exists(out / generations_file, none_there))
        throw config::Error(out.string() +
                            " has an exploration in generations, which cannot continue with these "
                            "options; expected another '--out', or '--no-resume', or no "
                            "'--in-flight', '--shard' and '--executor'");
}

Flight::Flight(const Inputs& inputs, FirstPoints first, Proposer* proposer)
    : inputs_(inputs), first_(std::move(first)), proposer_(proposer),
      points_(inputs.draft, inputs.source, inputs.request), work_{points_.study(), inputs.source,
                                                                  inputs.out,
                                                                  inputs.request.allow_outside},
      name_(sweep::journal_name(inputs.request.shard))
{
}

int Flight::run(const OutputFolder& folder)
{
    const Request& request = inputs_.request;
    if (!request.resume) {
        sweep::Store(folder.path(), sweep::Shard{}).clear();
        Trials::clear(folder.path());
        fs::remove(folder.path() / generations_file);
    }
    if (sweep::runs_elsewhere(request))
        run_elsewhere(folder);
    sweep::Store store(folder.path(), request.shard);
    check_kind(folder.path(), request, true);
    const std::string warning =
        store.read_all(points_.study(), sweep::runs_elsewhere(request)); // failed runs that shards
                                                                         // have recorded are not
                                                                         // repeated here
    if (!warning.empty())
        std::fprintf(stderr, "%s", warning.c_str());
    open(folder);
    if (!sweep::runs_elsewhere(request)) {
        store.open();
        run_here(store);
    }
    return request.shard.whole() ? write_tables(store, folder) : finish_shard();
}

nlohmann::json Flight::head() const
{
    nlohmann::json dimensions = nlohmann::json::array();
    for (const Dimension& dimension : inputs_.space.dimensions())
        dimensions.push_back({{"values", dimension.values}, {"ordered", dimension.ordered}});
    const sweep::Study& study = points_.study();
    std::vector<std::string> objectives;
    for (const sweep::Objective& objective : study.objectives)
        objectives.push_back((objective.maximize ? "maximize " : "minimize ") +
                             study.columns[objective.column].name);
    return {{"dimensions", dimensions},
            {"objectives", objectives},
            {"seed", inputs_.budget.seed},
            {"start", first_.points.size() - inputs_.draft.study.points.size()},
            {"whole", first_.whole},
            {"first", identity_of(first_.points)},
            {"common", identity_of({{"", inputs_.draft.common}})}};
}

void Flight::open(const OutputFolder& folder)
{
    const std::size_t most =
        first_.whole ? 0 : inputs_.draft.study.points.size() + inputs_.budget.points;
    trials_.emplace(folder.path(), head(), first_.places, most);
}

/// Starts shards that run the trials, and waits for their end.
void Flight::run_elsewhere(const OutputFolder& folder)
{
    const Request& request = inputs_.request;
    const sweep::Store shared(folder.path()); // locks out other sweeps
    check_kind(folder.path(), request, true);
    open(folder);
    sweep::SlurmArray array = sweep::array_of(work_, request, "explore");
    array.command.insert(array.command.end(), {"--points", std::to_string(inputs_.budget.points),
                                               "--seed", std::to_string(inputs_.budget.seed)});
    if (request.optimiser)
        array.command.insert(array.command.end(),
                             {"--optimiser", fs::absolute(*request.optimiser).string()});
    const std::size_t left = trials_->left(), all = trials_->most();
    for (unsigned shard = 1; shard <= array.of && shard <= left; ++shard)
        array.shards.push_back(shard);
    const std::size_t runs = points_.runs_of_a_point();
    sweep::Announcer announcer(all * runs, (all - left) * runs, request.quiet);
    sweep::JournalWatch watch(folder.path());
    if (left != 0)
        sweep::run_tasks(array, request, [&] { announcer.ended(watch.added()); });
    announcer.ended(watch.added());
}

void Flight::run_here(sweep::Store& store)
{
    const std::size_t runs = points_.runs_of_a_point();
    sweep::Announcer announcer(trials_->most() * runs, (trials_->most() - trials_->left()) * runs,
                               inputs_.request.quiet);
    sweep::run_recorded(
        work_, points_.plan(), [&] { return next(store); }, store,
        sweep::scratch_folder(work_.out, inputs_.request.shard), inputs_.request.jobs,
        [&](std::size_t run) {
            announcer.ended(!store.find(points_.plan().runs[run].key)->error.empty());
            run_ended(run, store);
        });
}

int Flight::finish_shard() const
{
    const sweep::Shard& shard = inputs_.request.shard;
    if (!inputs_.request.quiet)
        std::printf("shard %u/%u: %zu trials done; the exploration without --shard makes the "
                    "table\n",
                    shard.index, shard.of, done_);
    return 0;
}

/// Writes the tables of all trials, in the order in which the trials began.
int Flight::write_tables(sweep::Store& store, const OutputFolder& folder)
{
    Points all(inputs_.draft, inputs_.source, inputs_.request);
    std::vector<sweep::Point> points;
    for (std::size_t i = 0; i < trials_->trials().size(); ++i)
        points.push_back(point_of(i));
    all.add(std::move(points));
    if (!sweep::runs_elsewhere(
            inputs_.request)) { // repeats runs whose results were lost although their trials ended
        sweep::Announcer announcer(all.plan().runs.size(), 0, true);
        all.run(0, {all.study(), inputs_.source, work_.out, work_.allow_outside}, store, announcer);
    }
    const std::size_t left = trials_->left();
    if (left != 0 && !inputs_.request.quiet)
        std::fprintf(stderr,
                     sweep::runs_elsewhere(inputs_.request)
                         ? "%zu trials are left; the same command runs them\n"
                         : "no new point was found for %zu further trials: the search space has "
                           "few others, or none\n",
                     left);
    const bool good = sweep::report(
        all.study(), all.plan(), [&](const std::string& key) { return store.find(key); }, folder,
        inputs_.request.quiet);
    return good && (left == 0 || !sweep::runs_elsewhere(inputs_.request)) ? 0 : sweep::sweep_failed;
}

std::optional<std::size_t> Flight::next(sweep::Store& store)
{
    const Worker worker{
        name_, [&](std::size_t trial, const std::string& name) { return is_at_work(trial, name); },
        [&] { return propose(); }, [&](const std::vector<double>& place) { return is_new(place); }};
    while (queue_.empty()) {
        const std::optional<Taken> taken = trials_->take(worker);
        if (!taken)
            return std::nullopt;
        begin(*taken, store);
    }
    const std::size_t run = queue_.front();
    queue_.pop_front();
    return run;
}

void Flight::begin(const Taken& taken, sweep::Store& store)
{
    if (taken.was_begun) // the earlier worker may have recorded results
        (void)store.read_all(points_.study());
    Running running{points_.plan().runs.size(), 0};
    points_.add({point_of(taken.trial)});
    for (std::size_t run = running.first; run < points_.plan().runs.size(); ++run) {
        const sweep::PlannedRun& planned = points_.plan().runs[run];
        if (!planned.error.empty() || store.find(planned.key) != nullptr)
            continue;
        queue_.push_back(run);
        trial_of_[run] = taken.trial;
        ++running.left;
    }
    running_[taken.trial] = running;
    if (running.left == 0)
        end(taken.trial, store);
}

void Flight::run_ended(std::size_t run, const sweep::Store& store)
{
    const std::size_t trial = trial_of_.at(run);
    if (--running_.at(trial).left == 0)
        end(trial, store);
}

void Flight::end(std::size_t trial, const sweep::Store& store)
{
    sweep::Plan runs = points_.runs_from(running_.at(trial).first);
    runs.runs.resize(points_.runs_of_a_point());
    trials_->end(trial, points_.values_of(runs, store).at(0));
    running_.erase(trial);
    ++done_;
}

sweep::Point Flight::point_of(std::size_t trial) const
{
    return trial < first_.points.size() ? first_.points[trial]
                                        : inputs_.space.at(trials_->trials()[trial].place);
}

bool Flight::is_at_work(std::size_t trial, const std::string& name) const
{
    return name == name_ ? running_.contains(trial) : sweep::is_at_work(work_.out, name);
}

std::optional<Proposed> Flight::propose()
{
    for (std::size_t attempt = 0; proposer_ != nullptr && attempt < most_attempts; ++attempt) {
        proposer_->learn(*trials_, std::exchange(learned_, trials_->entries().size()));
        const std::vector<double> place = proposer_->propose(name_, attempt);
        if (is_new(place))
            return Proposed{place, learned_, attempt};
    }
    return std::nullopt;
}

/// Returns whether the place's point is allowed by the study and is not in any trial so far.
bool Flight::is_new(const std::vector<double>& place)
{
    for (; identified_ < trials_->trials().size(); ++identified_)
        known_.insert(identity(point_of(identified_)));
    const sweep::Point point = inputs_.space.at(place);
    return !known_.contains(identity(point)) && inputs_.space.takes(point);
}

} // namespace levee::explore
