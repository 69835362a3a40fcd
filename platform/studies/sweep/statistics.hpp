// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/figures.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace levee::sweep {

/// Returns the 97.5 % quantile of Student's t distribution, with a relative error of at most 1e-6.
/// `freedom` must be at least 1.
[[nodiscard]] double student_t(std::size_t freedom);

struct Mean {
    double value = 0.0;
    double half_width = 0.0; ///< half of the mean's 95 % confidence interval; 0 for a single value
};

/// Returns the mean of one or more values, with its confidence interval by Student's t. It assumes
/// that the values are independent and normally distributed.
[[nodiscard]] Mean mean_of(std::span<const double> values);

/// Returns for each point whether it is on the Pareto front: no other point is at least as good in
/// every objective and better in one. All points must have the same objectives; larger is better.
[[nodiscard]] std::vector<bool> pareto_front(const std::vector<std::vector<double>>& points);

/// Returns the same for objectives that are ranges. Overlapping ranges are neither better than each
/// other nor equal.
[[nodiscard]] std::vector<bool>
front_of_intervals(const std::vector<std::vector<Interval>>& points);

} // namespace levee::sweep
