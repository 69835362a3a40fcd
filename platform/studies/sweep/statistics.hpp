// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/figures.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace levee::sweep {

/// The 97.5 % quantile of Student's t distribution, to 1e-6 of it. `freedom` is at least 1.
[[nodiscard]] double student_t(std::size_t freedom);

struct Mean {
    double value = 0.0;
    double half_width = 0.0; ///< half width of the mean's 95 % interval; 0 for a single value
};

/// Mean of at least one value and its confidence interval by Student's t, which assumes
/// independent, normally distributed values.
[[nodiscard]] Mean mean_of(std::span<const double> values);

/// For each of `points`, whether it is on the Pareto front: no other point is as good in every
/// objective and better in one. All points have the same objectives; larger is better.
[[nodiscard]] std::vector<bool> pareto_front(const std::vector<std::vector<double>>& points);

/// The same for objectives that are only known as intervals: overlapping intervals are neither as
/// good nor better.
[[nodiscard]] std::vector<bool>
front_of_intervals(const std::vector<std::vector<Interval>>& points);

} // namespace levee::sweep
