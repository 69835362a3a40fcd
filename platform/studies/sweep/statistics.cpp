// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/statistics.hpp"

#include <array>
#include <cmath>

namespace levee::sweep {

namespace {

bool dominates(const std::vector<Interval>& a, const std::vector<Interval>& b)
{
    bool better = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].low < b[i].high)
            return false;
        better = better || a[i].low > b[i].high;
    }
    return better;
}

} // namespace

double student_t(std::size_t freedom)
{
    // The values are those of tables such as Abramowitz and Stegun's table 26.10, with more
    // digits.
    constexpr std::array table{12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119,
                               2.3646243,  2.3060041, 2.2621572, 2.2281389, 2.2009852, 2.1788128,
                               2.1603687,  2.1447867, 2.1314495, 2.1199053, 2.1098156, 2.1009220,
                               2.0930241,  2.0859634, 2.0796138, 2.0738731, 2.0686576, 2.0638986,
                               2.0595386,  2.0555294, 2.0518305, 2.0484071, 2.0452296, 2.0422725};
    if (freedom <= table.size())
        return table[freedom - 1];
    // Abramowitz and Stegun 26.7.5: a series in 1 / freedom around the normal distribution's
    // quantile.
    constexpr double z = 1.959963985;
    constexpr double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    const auto n = static_cast<double>(freedom);
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

Mean mean_of(std::span<const double> values)
{
    const auto number = static_cast<double>(values.size());
    Mean mean;
    for (const double value : values)
        mean.value += value;
    mean.value /= number;
    if (values.size() < 2)
        return mean;
    double squares = 0.0;
    for (const double value : values)
        squares += (value - mean.value) * (value - mean.value);
    mean.half_width = student_t(values.size() - 1) * std::sqrt(squares / (number - 1.0) / number);
    return mean;
}

std::vector<bool> pareto_front(const std::vector<std::vector<double>>& points)
{
    std::vector<std::vector<Interval>> exact;
    for (const std::vector<double>& point : points) {
        exact.emplace_back();
        for (const double value : point)
            exact.back().push_back({value, value});
    }
    return front_of_intervals(exact);
}

std::vector<bool> front_of_intervals(const std::vector<std::vector<Interval>>& points)
{
    std::vector<bool> front(points.size(), true);
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t other = 0; other < points.size() && front[i]; ++other)
            front[i] = !dominates(points[other], points[i]);
    return front;
}

} // namespace levee::sweep
