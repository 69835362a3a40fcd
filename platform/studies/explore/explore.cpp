// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/explore/explore.hpp"

#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/stop_signals.hpp"
#include "platform/studies/explore/flight.hpp"
#include "platform/studies/explore/points.hpp"
#include "platform/studies/explore/proposer.hpp"
#include "platform/studies/explore/search_space.hpp"
#include "platform/studies/sweep/metric_names.hpp"
#include "platform/studies/sweep/report_files.hpp"
#include "platform/studies/sweep/runner.hpp"
#include "platform/studies/sweep/shards.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>

namespace levee::explore {

namespace {

namespace fs = std::filesystem;
using sweep::Point;
using sweep::Study;

constexpr std::size_t start_share =
    5; // the first 1 / start_share of the budget is spread over the space
constexpr std::size_t least_start = 5, most_start = 20;
constexpr std::size_t most_known = 8; // after this many known proposals in a row, a point is drawn
                                      // at random
constexpr std::size_t draws_a_point = 1'000; // draws after which the space counts as exhausted

struct Candidate {
    Proposal proposal;
    Point point;
};

class Exploration {
public:
    Exploration(const sweep::Draft& draft, const config::ScenarioSource& source,
                const Request& request, const sweep::Budget& budget)
        : draft_(draft), source_(source), request_(request), budget_(budget), space_(draft, source),
          points_(draft, source, request)
    {
    }

    /// Plans the first points: those that the study names, and the first generation. Nothing runs
    /// yet. `begun` describes an exploration that continues.
    void plan_first(const std::optional<Begun>& begun)
    {
        points_.add(draft_.study.points);
        if (std::optional<std::vector<Point>> all = whole_space(begun)) {
            tried_ = all->size();
            return points_.add(std::move(*all));
        }
        proposer_.emplace(space_.dimensions(), points_.study().objectives.size(), budget_.seed,
                          request_.optimiser);
        const std::size_t number =
            begun ? begun->start
                  : std::min<std::size_t>(
                        std::clamp(budget_.points / start_share, least_start, most_start),
                        budget_.points);
        add_candidates(proposer_->start(number));
        fill_up(number);
        add_generation();
    }

    /// Checks the study. Throws config::Error if none of the first points of the axes can run, or
    /// for a figure that no run has.
    void check() const
    {
        const std::size_t named = draft_.study.points.size();
        const sweep::Plan& plan = points_.plan();
        if (points_.study().points.size() == named)
            throw config::Error(draft_.place,
                                "no point of the axes fulfils the study's conditions ('where'); "
                                "expected conditions that some points fulfil");
        const auto proposed =
            std::find_if(plan.runs.begin(), plan.runs.end(),
                         [&](const sweep::PlannedRun& run) { return run.point >= named; });
        if (std::all_of(proposed, plan.runs.end(),
                        [](const sweep::PlannedRun& run) { return !run.error.empty(); }))
            throw config::Error(proposed->error);
        sweep::check_metrics(points_.study(), sweep::MetricNames(plan));
    }

    /// Returns the first points, for Flight.
    [[nodiscard]] FirstPoints first() const
    {
        FirstPoints first{points_.added(), {}, !proposer_};
        first.places.resize(first.points.size());
        for (std::size_t i = 0; i < generation_.size(); ++i)
            first.places[draft_.study.points.size() + i] = generation_[i].proposal.place;
        return first;
    }

    [[nodiscard]] const SearchSpace& space() const { return space_; }
    [[nodiscard]] Proposer* proposer() { return proposer_ ? &*proposer_ : nullptr; }

    /// Runs the first points, and then generations until the budget is spent.
    void run(const fs::path& out, const OutputFolder& folder)
    {
        const sweep::Work work{points_.study(), source_, out, request_.allow_outside};
        sweep::Store store(folder.path(), sweep::Shard{});
        check_kind(out, request_, false); // again, since other commands are now locked out
        if (!request_.resume) {
            store.clear();
            Trials::clear(folder.path());
        }
        const std::string warning = store.read_all(points_.study());
        if (!warning.empty())
            std::fprintf(stderr, "%s", warning.c_str());
        store.open();
        folder.write(generations_file, "This exploration runs in generations. Its proposals depend "
                                       "only on the study, the seed and the results.\n");
        const std::size_t planned = points_.study().points.size(), first = planned - tried_;
        const std::size_t all = proposer_ ? first + budget_.points : planned;
        sweep::Announcer announcer(all * points_.runs_of_a_point(), 0, request_.quiet);
        run_planned(work, store, announcer);
        while (proposer_ && tried_ < budget_.points) {
            tell(store);
            if (!propose())
                break;
            run_planned(work, store, announcer);
        }
        find_ = [outcomes = outcomes_of(store)](const std::string& key) {
            const auto found = outcomes.find(key);
            return found == outcomes.end() ? nullptr : &found->second;
        };
    }

    /// Writes the tables, and returns the exit code.
    int finish(const OutputFolder& folder) const
    {
        if (proposer_ && tried_ < budget_.points && !request_.quiet)
            std::fprintf(stderr,
                         "no new point was found in %zu draws: %zu of %u points have been tried, "
                         "and the search space has few others, or none\n",
                         draws_a_point, tried_, budget_.points);
        return sweep::report(study(), plan(), find_, folder, request_.quiet) ? 0
                                                                             : sweep::sweep_failed;
    }

    [[nodiscard]] const Study& study() const { return points_.study(); }
    [[nodiscard]] const sweep::Plan& plan() const { return points_.plan(); }
    /// Returns the number of points of the axes to try.
    [[nodiscard]] std::size_t points_to_try() const { return proposer_ ? budget_.points : tried_; }

private:
    using Outcomes = std::map<std::string, sweep::Outcome>;

    /// Returns all points of the axes, if the budget suffices for them.
    [[nodiscard]] std::optional<std::vector<Point>>
    whole_space(const std::optional<Begun>& begun) const
    {
        if (!space_.size() || (begun && !begun->whole))
            return std::nullopt;
        const std::size_t most = begun ? *space_.size() : budget_.points;
        std::vector<Point> all = space_.all(most);
        return all.size() <= most ? std::optional(std::move(all)) : std::nullopt;
    }

    /// Adds the proposals that are new points of the space to the generation, and answers the
    /// others.
    void add_candidates(const std::vector<Proposal>& proposals)
    {
        std::vector<Answer> answers;
        for (const Proposal& proposal : proposals) {
            Point point = space_.at(proposal.place);
            const std::string key = identity(point);
            if (known_.contains(key) || !space_.takes(point)) {
                answers.push_back(answer_to(proposal.id, key));
                ++known_in_a_row_;
                continue;
            }
            known_[key] = std::nullopt;
            known_in_a_row_ = 0;
            generation_.push_back({proposal, std::move(point)});
        }
        if (!answers.empty())
            proposer_->tell(answers);
    }

    /// Returns the answer to a point that is known or that `where` excludes.
    [[nodiscard]] Answer answer_to(std::size_t id, const std::string& key) const
    {
        const auto known = known_.find(key);
        if (known == known_.end())
            return {id, std::nullopt};
        const bool waits =
            std::any_of(generation_.begin(), generation_.end(), [&](const Candidate& candidate) {
                return identity(candidate.point) == key;
            });
        return {id, known->second, waits};
    }

    /// Draws random points until the generation has `number` points, or until no more are found.
    void fill_up(std::size_t number)
    {
        for (std::size_t i = 0; i < draws_a_point && generation_.size() < number; ++i)
            add_candidates({proposer_->draw()});
    }

    /// Returns false if there are no more proposals.
    bool propose()
    {
        const std::size_t number =
            std::min<std::size_t>(budget_.generation, budget_.points - tried_);
        while (generation_.size() < number && known_in_a_row_ < most_known)
            add_candidates(proposer_->ask(1));
        known_in_a_row_ = 0;
        if (generation_.size() < number)
            fill_up(generation_.size() + 1);
        return add_generation();
    }

    bool add_generation()
    {
        std::vector<Point> points;
        for (const Candidate& candidate : generation_)
            points.push_back(candidate.point);
        tried_ += points.size();
        points_.add(std::move(points));
        return !generation_.empty();
    }

    /// Executes the planned runs that are not done.
    void run_planned(const sweep::Work& work, sweep::Store& store, sweep::Announcer& announcer)
    {
        points_.run(std::exchange(ran_, plan().runs.size()), work, store, announcer);
    }

    /// Ends the generation: tells the optimiser its results.
    void tell(const sweep::Store& store)
    {
        const std::vector<Values> values = points_.values_of(
            points_.runs_from(plan().runs.size() - generation_.size() * points_.runs_of_a_point()),
            store);
        std::vector<Answer> answers;
        for (std::size_t i = 0; i < generation_.size(); ++i) {
            answers.push_back({generation_[i].proposal.id, values[i]});
            known_[identity(generation_[i].point)] = answers.back().values;
        }
        proposer_->tell(answers);
        generation_.clear();
    }

    [[nodiscard]] Outcomes outcomes_of(const sweep::Store& store) const
    {
        Outcomes outcomes;
        for (const sweep::PlannedRun& run : plan().runs)
            if (const sweep::Outcome* outcome = store.find(run.key))
                outcomes[run.key] = *outcome;
        return outcomes;
    }

    const sweep::Draft& draft_;
    const config::ScenarioSource& source_;
    const Request& request_;
    const sweep::Budget budget_;
    SearchSpace space_;
    Points points_;
    std::optional<Proposer> proposer_;
    std::vector<Candidate> generation_; ///< proposed, without results so far
    /// Points of the axes that were tried, with their objectives.
    std::map<std::string, Values> known_;
    std::size_t known_in_a_row_ = 0;
    std::size_t tried_ = 0;
    std::size_t ran_ = 0;
    sweep::FindOutcome find_;
};

sweep::Budget budget_of(const sweep::Draft& draft, const Request& request)
{
    if (draft.study.explore.points == 0 && !request.points)
        throw config::Error(draft.place, "the study lacks 'explore'; expected the number of points "
                                         "to run, such as explore: {points: 100} or --points 100");
    if (draft.study.objectives.empty())
        throw config::Error(
            draft.place, "the study lacks 'objectives'; expected columns to maximize or minimize");
    sweep::Budget budget = draft.study.explore;
    budget.points = request.points.value_or(budget.points);
    budget.seed = request.seed.value_or(budget.seed);
    budget.generation = request.generation.value_or(budget.generation);
    return budget;
}

/// Lists the first points, and whether each can run. Returns an exit code.
int list_first(const Exploration& exploration)
{
    std::set<std::size_t> listed;
    for (const sweep::PlannedRun& run : exploration.plan().runs)
        if (listed.insert(run.point).second)
            std::printf("%s%s%s\n", exploration.study().points[run.point].name.c_str(),
                        run.error.empty() ? "" : "\n    cannot start: ", run.error.c_str());
    std::printf("%zu first points; the exploration runs up to %zu points of the axes\n",
                listed.size(), exploration.points_to_try());
    return 0;
}

} // namespace

int run_explore(const Request& request)
{
    if (!request.resume && !request.shard.whole())
        throw config::Error("'--no-resume' cannot be used with '--shard', since it would discard "
                            "the work of other shards; expected one of the two");
    if (request.optimiser && !fs::is_regular_file(*request.optimiser))
        throw config::Error("--optimiser: there is no file '" + request.optimiser->string() +
                            "'; expected a Python program (python/README.md)");
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    const sweep::Draft draft =
        sweep::read_draft(finder.study(request.study), finder, request.overrides);
    const sweep::Budget budget = budget_of(draft, request);
    sweep::check_names(draft.study, sweep::names_of(draft.study.points));
    const config::ScenarioSource source(draft.study.scenario.string(), finder);
    Exploration exploration(draft, source, request, budget);
    const fs::path out = fs::absolute(request.out.value_or(fs::path("out") / draft.study.name));
    std::error_code none_there;
    const bool goes_on = request.resume && fs::exists(out / Trials::file_name, none_there);
    const bool is_flight =
        goes_on || request.in_flight || !request.shard.whole() || sweep::runs_elsewhere(request);
    check_kind(out, request, is_flight);
    exploration.plan_first(goes_on ? begun_flight(out) : std::nullopt);
    exploration.check();
    if (request.dry_run)
        return list_first(exploration);
    const OutputFolder folder(out);
    try {
        if (is_flight)
            return Flight({draft, source, request, budget, exploration.space(), out},
                          exploration.first(), exploration.proposer())
                .run(folder);
        exploration.run(out, folder);
        return exploration.finish(folder);
    } catch (const config::Error&) {
        throw; // a later point of the study is invalid, and the same command would stop there again
    } catch (const std::runtime_error& error) {
        const bool interrupted = dynamic_cast<const Interrupted*>(&error) != nullptr;
        std::fprintf(stderr, "%s\nthe exploration has stopped; the same command continues it\n",
                     error.what());
        return interrupted ? ended_by_signal : sweep::sweep_failed;
    }
}

} // namespace levee::explore
