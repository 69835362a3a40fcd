// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/study.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A point with a seed.
struct PlannedRun {
    std::size_t point = 0; ///< point of the study
    std::optional<std::uint64_t> seed;
    /// Hash of everything that determines the run's results: equal keys, equal results.
    std::string key;
    std::string error; ///< why its scenario cannot be used; empty: it can
};

struct Plan {
    std::vector<PlannedRun> runs; ///< runs of each point for all seeds, in the order of the study
    std::vector<std::string> components; ///< names of memories and blocks of any point's system
    std::vector<std::string> plugged;    ///< Those of the types that come from plug-ins.
    std::vector<std::string> programs;   ///< files of any point's program
};

/// Plans a study whose points become known one by one. Both arguments must outlive it.
class Planner {
public:
    Planner(const Study& study, const config::ScenarioSource& source);
    ~Planner();
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    /// Adds the runs of points that the study has got since, as make_plan does.
    void extend(Plan& plan);

private:
    class State;
    std::unique_ptr<State> state_;
};

/// Loads and checks every run's scenario. A run's key is a hash of the resolved scenario, the seed,
/// the contents of its files and program, and Levee's own program. Throws the first run's
/// config::Error if no scenario can be used.
[[nodiscard]] Plan make_plan(const Study& study, const config::ScenarioSource& source);

} // namespace levee::sweep
