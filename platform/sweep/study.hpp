#pragma once

#include "platform/config/compose.hpp"
#include "platform/sweep/check.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// One configuration of the study's scenario.
struct Point {
    std::string name; ///< a named point's, or the values' names joined by '/'
    std::vector<std::string> overrides;
};

/// A column of the table: a figure of the runs' results.
struct Column {
    std::string name;
    std::string metric;
    std::optional<std::string> over; ///< the metric divides by this one
    double scale = 1.0;
    std::optional<unsigned> digits; ///< after the point, in table.txt
    config::Place place;
};

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
