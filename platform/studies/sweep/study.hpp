// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/compose.hpp"
#include "platform/studies/sweep/check.hpp"
#include "platform/studies/sweep/points.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace levee::sweep {

struct Study {
    std::string name;
    std::filesystem::path scenario;
    std::vector<Point> points;
    std::vector<std::uint64_t> seeds; ///< each point runs with each; empty: the scenario's seed
    std::vector<Column> columns;
    std::vector<Check> checks;
};

/// Reads a study (docs/scenarios.md). A scenario is looked for beside the study, then among the
/// shipped ones. config::Error for what cannot be used, also by a scenario's overrides.
[[nodiscard]] Study read_study(const std::filesystem::path& file, const config::FileFinder& finder);

} // namespace levee::sweep
