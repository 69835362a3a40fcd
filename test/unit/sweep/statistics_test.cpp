// SPDX-License-Identifier: Apache-2.0
// Tests means with their intervals, and Pareto fronts.
#include "platform/studies/sweep/statistics.hpp"

#include <catch2/catch.hpp>

using namespace levee::sweep;

TEST_CASE("Student's t equals published tables, also beyond the internal table")
{
    CHECK(student_t(1) == Approx(12.7062));
    CHECK(student_t(4) == Approx(2.77645));
    CHECK(student_t(30) == Approx(2.04227));
    CHECK(student_t(40) == Approx(2.021075).epsilon(1e-6));
    CHECK(student_t(120) == Approx(1.979930).epsilon(1e-6));
}

TEST_CASE("a mean has the interval calculated by hand")
{
    const std::vector<double> values{2, 4, 4, 4, 6};
    const Mean mean = mean_of(values);
    CHECK(mean.value == 4.0);
    // The variance is 8 / 4 = 2, and the standard error sqrt(2 / 5).
    CHECK(mean.half_width == Approx(2.7764451 * 0.6324555));
    CHECK(mean_of(std::vector<double>{3.0}).half_width == 0.0);
}

TEST_CASE("the front has the points that nothing beats, including equal ones")
{
    CHECK(pareto_front({{1, 5}, {2, 4}, {2, 4}, {1, 4}, {3, 0}, {0, 5}}) ==
          std::vector<bool>{true, true, true, false, true, false});
}

TEST_CASE("points whose intervals overlap are not ranked")
{
    // The first two points are exact, and the first dominates the second. The first dominates the
    // third for any values in the third's intervals. The fourth's second objective overlaps with
    // the first's.
    CHECK(front_of_intervals(
              {{{10, 10}, {5, 5}}, {{9, 9}, {5, 5}}, {{7, 9.5}, {4, 4.5}}, {{7, 9.5}, {4, 5.5}}}) ==
          std::vector<bool>{true, false, false, true});
    // If two intervals overlap, neither point dominates. Intervals that touch in one objective
    // count as equal there.
    CHECK(front_of_intervals({{{8, 10}}, {{9, 12}}}) == std::vector<bool>{true, true});
    CHECK(front_of_intervals({{{8, 10}, {3, 3}}, {{10, 12}, {4, 4}}}) ==
          std::vector<bool>{false, true});
}
