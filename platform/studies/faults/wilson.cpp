// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/wilson.hpp"

#include <algorithm>
#include <cmath>

namespace levee::campaign {

double normal_quantile(double confidence)
{
    constexpr int halvings = 60; // steps of bisection between 0 and 10; beyond 10 the probability
                                 // is below 1e-22
    double low = 0, high = 10;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (std::erf(middle / std::sqrt(2.0)) < confidence ? low : high) = middle;
    }
    return low;
}

Interval wilson(double hits, double trials, double quantile)
{
    if (trials <= 0)
        return {};
    const double share = hits / trials, square = quantile * quantile;
    const double scale = 1 + square / trials;
    const double centre = (share + square / (2 * trials)) / scale;
    const double half =
        quantile / scale * std::sqrt(share * (1 - share) / trials + square / (4 * trials * trials));
    // If nothing or everything was hit, the bound is exactly 0 or 1, in spite of rounding.
    return {hits <= 0 ? 0 : std::max(0.0, centre - half),
            hits >= trials ? 1 : std::min(1.0, centre + half)};
}

} // namespace levee::campaign
