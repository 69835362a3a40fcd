// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::campaign {

/// Returns the two-sided quantile of the standard normal distribution for a confidence level:
/// 1.959964 for 0.95.
[[nodiscard]] double normal_quantile(double confidence);

struct Interval {
    double low = 0, high = 1;
    [[nodiscard]] double width() const { return high - low; }
};

/// Returns Wilson's score interval for the share of `hits` in `trials` (E. B. Wilson, Journal of
/// the American Statistical Association 22, 1927). It is [0, 1] without trials.
[[nodiscard]] Interval wilson(double hits, double trials, double quantile);

} // namespace levee::campaign
