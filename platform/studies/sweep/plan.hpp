// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/study.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A run: a point with a seed.
struct PlannedRun {
    std::size_t point = 0;
    std::optional<std::uint64_t> seed;
    /// Hash of everything on which the results depend. Equal keys mean equal results.
    std::string key;
    std::string error; ///< why its scenario is invalid; empty if it is valid
};

struct Plan {
    std::vector<PlannedRun> runs;        ///< for each point, its runs with all seeds
    std::vector<std::string> components; ///< names of memories and blocks in any point's system
    std::vector<std::string> plugged;    ///< components whose types come from plug-ins
    std::vector<std::string> programs;
    std::vector<std::filesystem::path> files; ///< files that the runs read
};

/// Plans the runs of a study to which points are added step by step. Both arguments must outlive
/// it.
class Planner {
public:
    Planner(const Study& study, const config::ScenarioSource& source);
    ~Planner();
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    /// Adds the runs of points that were added to the study since the last call, like make_plan().
    void extend(Plan& plan);

private:
    class State;
    std::unique_ptr<State> state_;
};

/// Loads and checks the scenario of every run. A run's key is a hash of the resolved scenario, the
/// seed, the contents of its files and program, and Levee itself. If no scenario is valid, throws
/// the first run's config::Error.
[[nodiscard]] Plan make_plan(const Study& study, const config::ScenarioSource& source);

} // namespace levee::sweep
