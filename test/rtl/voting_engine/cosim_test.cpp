// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/pins.hpp"
#include "test/rtl/cosim.hpp"

using namespace levee;
using namespace levee::test;
using voting_engine::designs;

TEST_CASE("the engine's RTL equals its reference in values and cycles, with full coverage")
{
    REQUIRE(designs().size() == 2);
    REQUIRE(designs()[1].size == 64);
    check_covered(designs()[1], 1000, 3, 36);
}

TEST_CASE("cosim of the paper's size: 4096 elements, 4096 counts")
{
    REQUIRE(designs()[0].size == 4096);
    check_equal(designs()[0], 40);
}

TEST_CASE("few operations do not cover everything, and the report lists what is missing")
{
    CHECK_FALSE(check_equal(designs()[1], 1).not_covered.empty());
}
