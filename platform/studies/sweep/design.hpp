// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/axes.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A random part of all combinations. The same seed draws the same points on every machine, and an
/// axis has the same values for all other axes.
struct Sample {
    enum class Kind { Random, LatinHypercube };
    Kind kind = Kind::Random;
    std::uint32_t points = 0;
    std::uint64_t seed = 1;
};

/// The points that axes make.
struct Design {
    std::vector<Axis> axes;
    /// Indices of axes that step together; each axis is in one group, alone or not.
    std::vector<std::vector<std::size_t>> groups;
    std::optional<Sample> sample; ///< none: every combination
};

constexpr std::size_t most_points = 100'000;

/// Reads `axes`, `zip` and `sample` of a study.
[[nodiscard]] Design read_design(config::MapReader& study);

/// The point that a fraction from 0 to below 1 for each group of axes draws.
[[nodiscard]] Point drawn_point(const Design& design, const std::vector<double>& fractions);

/// All points that `accept` accepts, each once, in the order of the axes (the first one slowest) or
/// of drawing. In a random sample refused points are replaced, with up to a hundred draws for each
/// requested point. Throws config::Error for more than most_points.
[[nodiscard]] std::vector<Point> points_of(const Design& design,
                                           const std::function<bool(const Point&)>& accept);

} // namespace levee::sweep
