// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A point's value on one axis.
struct Coordinate {
    std::string label;            ///< as written, or its name; empty if the axis does not apply
    std::optional<double> number; ///< the value as a number in the axis's unit
};

/// A configuration of the scenario.
struct Point {
    std::string name; ///< the name in the study, or the names of its values with '/' between them
    std::vector<std::string> overrides;
    std::vector<Coordinate> at = {}; ///< for each axis; empty for a point that the study names
};

/// A metric of the runs, with the name that the study gives it.
struct Column {
    std::string name;
    std::string metric;
    std::optional<std::string> over; ///< metric by which the figure is divided
    double scale = 1.0;
    std::optional<unsigned> digits; ///< digits after the decimal point in a table for reading
    config::Place place;
};

/// Reads a list of "a.b=value", or a single one. `path` is the key's name in errors, also in the
/// functions below.
[[nodiscard]] std::vector<std::string> read_overrides(const config::Node& node,
                                                      const std::string& path);

/// Reads names with overrides: the values of an axis, or named points.
[[nodiscard]] std::vector<Point> read_points(const config::Node& node, const std::string& path);

/// Combines each point with each value of an axis.
[[nodiscard]] std::vector<Point> combine(const std::vector<Point>& points,
                                         const std::vector<Point>& axis);

/// Reads a column from an entry of the map `path`.
[[nodiscard]] Column read_column(const config::Node::Entry& entry, const std::string& path);

/// Reads the map of columns at `key`.
[[nodiscard]] std::vector<Column> read_columns(config::MapReader& reader, const std::string& key);

} // namespace levee::sweep
