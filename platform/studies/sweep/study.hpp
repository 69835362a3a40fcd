// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/check.hpp"
#include "platform/studies/sweep/design.hpp"
#include "platform/studies/sweep/points.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace levee::sweep {

/// A column whose best value is looked for.
struct Objective {
    std::size_t column = 0;
    bool maximize = false;
};

struct Study {
    std::string name;
    std::filesystem::path file, scenario;
    std::vector<Axis> axes;
    std::vector<Point> points;
    std::vector<std::uint64_t> seeds; ///< each point runs with each; empty: the scenario's seed
    std::vector<Column> columns;
    std::vector<Objective> objectives;
    std::vector<Check> checks;
    bool keep = false; ///< each run's folder
};

/// Reads a study (docs/sweeps.md). A scenario is looked for beside the study, then among the
/// shipped ones. `overrides` are those of the command line, of every point. config::Error for what
/// cannot be used; whether a point's overrides fit the scenario is for the plan.
[[nodiscard]] Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

} // namespace levee::sweep
