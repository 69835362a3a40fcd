// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/profile/refine.hpp"

#include <algorithm>
#include <cmath>

namespace levee::profile_export {

namespace {

using Times = std::map<std::uint32_t, std::uint64_t>;

/// Returns the middles of gaps whose times are not known yet.
std::vector<std::uint32_t> middles(const std::vector<std::uint32_t>& points, std::uint32_t unit,
                                   const Times& known)
{
    std::vector<std::uint32_t> found;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const std::uint32_t middle = (points[i - 1] + points[i]) / 2 / unit * unit;
        if (middle > points[i - 1] && !known.contains(middle))
            found.push_back(middle);
    }
    return found;
}

/// Returns the relative error of linear interpolation at `at`, between the points around it.
double error_at(std::uint32_t at, const std::vector<std::uint32_t>& points, const Times& known)
{
    const auto above = std::ranges::upper_bound(points, at);
    const double x0 = *(above - 1), x1 = *above;
    const auto y0 = static_cast<double>(known.at(*(above - 1))),
               y1 = static_cast<double>(known.at(*above)), y = static_cast<double>(known.at(at));
    return std::abs(y0 + (y1 - y0) * (at - x0) / (x1 - x0) - y) / y;
}

} // namespace

void refine(std::vector<std::uint32_t>& points, std::uint32_t unit, double most_error,
            const Line& times)
{
    Times known = times(points);
    for (;;) {
        const std::vector<std::uint32_t> asked = middles(points, unit, known);
        if (asked.empty())
            return;
        known.merge(times(asked));
        std::vector<std::uint32_t> kinks;
        std::ranges::copy_if(asked, std::back_inserter(kinks), [&](std::uint32_t at) {
            return error_at(at, points, known) > most_error;
        });
        points.insert(points.end(), kinks.begin(), kinks.end());
        std::ranges::sort(points);
    }
}

} // namespace levee::profile_export
