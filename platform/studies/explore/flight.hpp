// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/explore/points.hpp"
#include "platform/studies/explore/proposer.hpp"
#include "platform/studies/explore/search_space.hpp"
#include "platform/studies/explore/trials.hpp"

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::explore {

/// The points that an exploration begins with.
struct FirstPoints {
    std::vector<sweep::Point> points;
    std::vector<std::vector<double>> places; ///< Empty: a named point, or one of a whole space.
    bool whole = false;                      ///< They are all: nothing is proposed.
};

/// The number and kind of the first points of a flight that goes on.
struct Begun {
    std::size_t start = 0;
    bool whole = false;
};

[[nodiscard]] std::optional<Begun> begun_flight(const std::filesystem::path& folder);

/// An exploration's inputs, which outlive its flight.
struct Inputs {
    const sweep::Draft& draft;
    const config::ScenarioSource& source;
    const Request& request;
    const sweep::Budget& budget;
    const SearchSpace& space;
    std::filesystem::path out;
};

/// An exploration that proposes a point whenever a run can begin, while others are in flight. All
/// its workers share the log of trials in the folder; this is one, or what starts them.
class Flight {
public:
    /// `proposer` is null if the first points are all.
    Flight(const Inputs& inputs, FirstPoints first, Proposer* proposer);

    /// Runs trials until there are no more, and writes the tables unless this is a shard. Returns
    /// the exit code.
    int run(const OutputFolder& folder);

private:
    struct Running {
        std::size_t first = 0; ///< its first run in the plan
        std::size_t left = 0;  ///< runs without a result
    };

    [[nodiscard]] nlohmann::json head() const;
    void open(const OutputFolder& folder);
    void run_elsewhere(const OutputFolder& folder);
    void run_here(sweep::Store& store);
    [[nodiscard]] int finish_shard() const;
    [[nodiscard]] int write_tables(sweep::Store& store, const OutputFolder& folder);

    [[nodiscard]] std::optional<std::size_t> next(sweep::Store& store);
    void begin(const Taken& taken, sweep::Store& store);
    void run_ended(std::size_t run, const sweep::Store& store);
    void end(std::size_t trial, const sweep::Store& store);
    [[nodiscard]] sweep::Point point_of(std::size_t trial) const;
    [[nodiscard]] bool is_at_work(std::size_t trial, const std::string& name) const;
    [[nodiscard]] std::optional<Proposed> propose();
    [[nodiscard]] bool is_new(const std::vector<double>& place);

    Inputs inputs_;
    FirstPoints first_;
    Proposer* proposer_;
    Points points_; ///< those of the trials that this process has taken
    sweep::Work work_;
    std::string name_;
    std::optional<Trials> trials_;
    std::size_t learned_ = 0;                     ///< entries of the log that the proposer knows
    std::size_t identified_ = 0;                  ///< trials whose points are in `known_`
    std::set<std::string> known_;                 ///< points of the axes, by identity
    std::deque<std::size_t> queue_;               ///< runs that can begin
    std::map<std::size_t, Running> running_;      ///< trials by number
    std::map<std::size_t, std::size_t> trial_of_; ///< by run of the plan
    std::size_t done_ = 0;                        ///< trials that ended here
};

} // namespace levee::explore
