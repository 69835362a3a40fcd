// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/axes.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A random part of all combinations. The same seed draws the same points on every machine. An
/// axis's values do not depend on the other axes.
struct Sample {
    enum class Kind { Random, LatinHypercube };
    Kind kind = Kind::Random;
    std::uint32_t points = 0;
    std::uint64_t seed = 1;
};

/// The axes of a study, and how they define points.
struct Design {
    std::vector<Axis> axes;
    /// Indices of axes whose values change together. Every axis is in exactly one group.
    std::vector<std::vector<std::size_t>> groups;
    std::optional<Sample> sample; ///< nothing: all combinations
};

constexpr std::size_t most_points = 100'000;

/// Reads `axes`, `zip` and `sample` of a study.
[[nodiscard]] Design read_design(config::MapReader& study);

/// Returns the point for one fraction, from 0 to below 1, per group of axes.
[[nodiscard]] Point drawn_point(const Design& design, const std::vector<double>& fractions);

/// Returns all different points that `accept` accepts, in the order of the axes (the first axis
/// changes slowest), or in the order of drawing. A random sample replaces refused points and draws
/// up to a hundred times for each requested point. Throws config::Error for more than most_points.
[[nodiscard]] std::vector<Point> points_of(const Design& design,
                                           const std::function<bool(const Point&)>& accept);

} // namespace levee::sweep
