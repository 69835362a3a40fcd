// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/check.hpp"
#include "platform/studies/sweep/design.hpp"
#include "platform/studies/sweep/points.hpp"
#include "platform/studies/sweep/study_keys.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A column whose best value is searched for.
struct Objective {
    std::size_t column = 0;
    bool maximize = false;
};

/// The budget of an exploration (docs/sweeps.md).
struct Budget {
    std::uint32_t points = 0;     ///< points of the axes, at most most_points; 0: not stated
    std::uint32_t generation = 0; ///< points that are proposed, and run, together
    std::uint64_t seed = 0;       ///< seed of the optimiser's draws
};

struct Study {
    std::string name;
    std::filesystem::path file, scenario;
    std::vector<Axis> axes;
    std::vector<Point> points;
    bool axes_refused = false; ///< No point of the axes fulfils `where`; only named points run.
    std::vector<std::uint64_t> seeds; ///< Seeds with which each point runs; empty: the scenario's
                                      ///< seed.
    std::vector<Column> columns;
    std::vector<Objective> objectives;
    std::vector<Check> checks;
    Budget explore;
    bool keep = false; ///< Keeps each run's folder.
};

/// A study before its axes have been expanded to points.
struct Draft {
    Study study; ///< Study whose points are the named ones, without `common`.
    Design design;
    std::vector<Condition> where;
    std::vector<std::string> common; ///< overrides of every point
    config::Place place;
};

/// Reads a study like read_study(), except for its points.
[[nodiscard]] Draft read_draft(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

/// Adds points, each with the overrides `common` before its own.
void add_points(Study& study, std::vector<Point> points, const std::vector<std::string>& common);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Point>& points);

/// Refuses an override of the command line that a point would undo: the table would say otherwise.
void refuse_varied(const std::vector<std::string>& overrides, const std::vector<Point>& points);

/// Throws config::Error for two columns with one name, and for a check that names an unknown column
/// or point.
void check_names(const Study& study, const std::vector<std::string>& points);

/// Reads a study (docs/sweeps.md). Its scenario is searched for next to the study, then among the
/// shipped ones. `overrides` are those of the command line, for every point. Throws config::Error
/// for unusable input; the plan checks the points' overrides.
[[nodiscard]] Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

} // namespace levee::sweep
