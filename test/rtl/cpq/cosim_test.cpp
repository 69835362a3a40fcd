// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/pins.hpp"
#include "test/rtl/cosim.hpp"

using namespace levee;
using namespace levee::test;
using cpq::designs;

TEST_CASE("the compression RTL equals its reference in values and cycles, with full coverage")
{
    REQUIRE(designs().size() == 2);
    REQUIRE(designs()[1].size == 4);
    check_covered(designs()[1], 3000, 2, 7);
}

TEST_CASE("cosim of the paper's size: 32 values at a time")
{
    REQUIRE(designs()[0].size == 32);
    check_equal(designs()[0], 200);
}

TEST_CASE("few operations do not cover everything, and the report lists what is missing")
{
    CHECK_FALSE(check_equal(designs()[1], 1).not_covered.empty());
}
