// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A point's place on one axis.
struct Coordinate {
    std::string label;            ///< a value as written, or its name; empty: not on this axis
    std::optional<double> number; ///< Number in the axis's unit.
};

/// One configuration of a scenario.
struct Point {
    std::string name; ///< a named point's, or the values' names joined by '/'
    std::vector<std::string> overrides;
    std::vector<Coordinate> at = {}; ///< Coordinates by axis; empty: a named point.
};

/// A figure of runs' results under a name of the study.
struct Column {
    std::string name;
    std::string metric;
    std::optional<std::string> over; ///< the metric divides by this one
    double scale = 1.0;
    std::optional<unsigned> digits; ///< Digits after the decimal point in a table for reading.
    config::Place place;
};

/// A list of "a.b=value", or one alone. `path` names it in errors, as below.
[[nodiscard]] std::vector<std::string> read_overrides(const config::Node& node,
                                                      const std::string& path);

/// Names with their overrides: the values of an axis, or named points.
[[nodiscard]] std::vector<Point> read_points(const config::Node& node, const std::string& path);

/// Combines each of `points` with each value of an axis.
[[nodiscard]] std::vector<Point> combine(const std::vector<Point>& points,
                                         const std::vector<Point>& axis);

/// A figure as written in the map `path`.
[[nodiscard]] Column read_column(const config::Node::Entry& entry, const std::string& path);

/// The map of figures at `key`.
[[nodiscard]] std::vector<Column> read_columns(config::MapReader& reader, const std::string& key);

} // namespace levee::sweep
