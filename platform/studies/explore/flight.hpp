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

struct FirstPoints {
    std::vector<sweep::Point> points;
    std::vector<std::vector<double>> places; ///< empty for a point that the study names, and if all
                                             ///< points run
    bool whole = false;                      ///< `points` has all points; none is proposed
};

/// A file with this name marks the folder of an exploration in generations.
constexpr const char* generations_file = "generations.log";

/// Describes an exploration in flight that continues: the number of its first points, and whether
/// these are all points.
struct Begun {
    std::size_t start = 0;
    bool whole = false;
};

[[nodiscard]] std::optional<Begun> begun_flight(const std::filesystem::path& folder);

/// Throws config::Error if the folder has an exploration of the other kind. The proposals of one do
/// not follow from the results of the other, so points that have run would be missing in the table.
/// The result is reliable only while the caller holds the folder's lock.
void check_kind(const std::filesystem::path& out, const Request& request, bool is_flight);

/// The inputs of an exploration, which must outlive its flight.
struct Inputs {
    const sweep::Draft& draft;
    const config::ScenarioSource& source;
    const Request& request;
    const sweep::Budget& budget;
    const SearchSpace& space;
    std::filesystem::path out;
};

/// An exploration that proposes a point whenever a run can start, while others are still running.
/// All workers share the log of trials in the folder. This object is one of the workers, or starts
/// them.
class Flight {
public:
    /// `proposer` is null if the first points are all points.
    Flight(const Inputs& inputs, FirstPoints first, Proposer* proposer);

    /// Runs trials until there are no more. Writes the tables, unless this is a shard. Returns the
    /// exit code.
    int run(const OutputFolder& folder);

private:
    struct Running {
        std::size_t first = 0; ///< index of its first run in the plan
        std::size_t left = 0;
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
    Points points_; ///< points of the trials that this process has taken
    sweep::Work work_;
    std::string name_;
    std::optional<Trials> trials_;
    std::size_t learned_ = 0;                     ///< number of entries of the log that the
                                                  ///< proposer knows
    std::size_t identified_ = 0;                  ///< number of trials whose points are in `known_`
    std::set<std::string> known_;                 ///< identities of points of the axes
    std::deque<std::size_t> queue_;               ///< runs that can start
    std::map<std::size_t, Running> running_;      ///< keyed by the trial's number
    std::map<std::size_t, std::size_t> trial_of_; ///< keyed by run of the plan
    std::size_t done_ = 0;                        ///< number of trials that this process has ended
};

} // namespace levee::explore
