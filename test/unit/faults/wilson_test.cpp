// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/tally.hpp"
#include "platform/studies/faults/wilson.hpp"

#include <catch2/catch.hpp>

using namespace levee::campaign;

TEST_CASE("quantiles of the normal distribution equal those of tables")
{
    CHECK(normal_quantile(0.95) == Approx(1.959964).epsilon(1e-6));
    CHECK(normal_quantile(0.99) == Approx(2.575829).epsilon(1e-6));
    CHECK(normal_quantile(0.5) == Approx(0.674490).epsilon(1e-6));
}

TEST_CASE("Wilson's interval equals the one calculated by hand")
{
    // With z = 2, z^2 = 4. For 2 of 16, the centre is (2 + 2) / (16 + 4) = 0.2, and the half width
    // is 2 / 20 * sqrt(16 * 1/8 * 7/8 + 1) = 0.1 * sqrt(2.75) = 0.165831.
    const Interval some = wilson(2, 16, 2);
    CHECK(some.low == Approx(0.034169).epsilon(1e-4));
    CHECK(some.high == Approx(0.365831).epsilon(1e-6));
    // For none of 16, the interval is from 0 to z^2 / (n + z^2) = 4 / 20. For all of 16 it is
    // mirrored.
    const Interval none = wilson(0, 16, 2), all = wilson(16, 16, 2);
    CHECK(none.low == 0);
    CHECK(none.high == Approx(0.2));
    CHECK(all.low == Approx(0.8));
    CHECK(all.high == 1);
    CHECK(wilson(0, 0, 2).width() == 1);
}

TEST_CASE("sequential stopping needs a narrow interval for every effect")
{
    Counts counts;
    for (int i = 0; i < 16; ++i)
        counts.add(i < 2 ? Effect::Text : Effect::Masked);
    CHECK(counts.all() == 16);
    // `text` and `masked` have the widest interval, 0.331662.
    CHECK(are_narrow(counts, 16, 0.34, 2));
    CHECK_FALSE(are_narrow(counts, 16, 0.33, 2));
    CHECK(are_narrow(counts, 64, 0.2, 2)); // The shares are the same, with four times as many runs.
    CHECK_FALSE(are_narrow(Counts{}, 16, 1, 2));
}
