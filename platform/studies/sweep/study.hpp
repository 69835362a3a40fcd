// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/check.hpp"
#include "platform/studies/sweep/design.hpp"
#include "platform/studies/sweep/origins.hpp"
#include "platform/studies/sweep/points.hpp"
#include "platform/studies/sweep/study_keys.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A column to maximize or minimize.
struct Objective {
    std::size_t column = 0;
    bool maximize = false;
};

struct Budget {
    std::uint32_t points = 0;     ///< number of points of the axes, at most most_points; 0: not
                                  ///< stated
    std::uint32_t generation = 0; ///< number of points that are proposed at a time
    std::uint64_t seed = 0;
};

struct Study {
    std::string name;
    std::filesystem::path file, scenario;
    std::vector<Axis> axes;
    std::vector<Point> points;
    bool axes_refused = false; ///< `where` excludes all points of the axes, so only named points
                               ///< run
    std::vector<std::uint64_t> seeds; ///< each point runs once with each; empty: only with the
                                      ///< scenario's seed
    std::vector<Column> columns;
    std::vector<Objective> objectives;
    std::vector<Check> checks;
    Budget explore;
    bool keep = false; ///< keep the folder of each run
    Origins origins;
};

/// A study whose axes have not been turned into points yet.
struct Draft {
    Study study; ///< has only the named points; their overrides do not include `common`
    Design design;
    std::vector<Condition> where;
    std::vector<std::string> common; ///< overrides that apply to every point
    config::Place place;
};

/// Like read_study(), without the points of axes.
[[nodiscard]] Draft read_draft(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

/// Adds points to a study. Each point's overrides are `common`, followed by its own.
void add_points(Study& study, std::vector<Point> points, const std::vector<std::string>& common);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Point>& points);

/// Throws config::Error for an override of the command line that a point would override again,
/// since the table would then be misleading.
void refuse_varied(const std::vector<std::string>& overrides, const std::vector<Point>& points);

/// Throws config::Error if two columns have the same name, or if a check names an unknown column or
/// point.
void check_names(const Study& study, const std::vector<std::string>& points);

/// Reads a study (docs/sweeps.md). Its scenario is looked for next to the study, and then among the
/// shipped ones. `overrides` are those of the command line, for every point. Throws config::Error
/// for input that cannot be used. The points' overrides are only checked when the runs are planned.
[[nodiscard]] Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

} // namespace levee::sweep
