// SPDX-License-Identifier: Apache-2.0
// Tests the threshold's division, root and products bit by bit and cycle by cycle.
#include "test/rtl/voting_engine/threshold.hpp"

#include <catch2/catch.hpp>

using namespace levee::test;

TEST_CASE("a threshold of any moments has the reference's bits, in the stated number of cycles")
{
    Threshold threshold;
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        const Moments moments = random_moments(random);
        INFO(moments.length << " elements, sum " << moments.sum << ", factors "
                            << moments.factors.mean << " and " << moments.factors.deviation);
        REQUIRE(threshold(moments) == reference(moments));
    }
}
