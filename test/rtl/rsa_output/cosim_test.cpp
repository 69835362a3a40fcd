// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/pins.hpp"
#include "test/rtl/cosim.hpp"

using namespace levee;
using namespace levee::test;
using rsa::output::designs;

TEST_CASE("The output-stationary array's RTL equals its reference in values and cycles, with full "
          "coverage")
{
    REQUIRE(designs().size() == 3);
    for (const std::size_t design : {1u, 2u})
        check_covered(designs()[design], 500, 2, 0);
}

TEST_CASE("Cosim of Kelle's size: an output-stationary array of 32 x 32")
{
    REQUIRE(designs()[0].size == rsa::output::Shape{32, 32});
    check_equal(designs()[0], 10);
}
