// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/driver.hpp"
#include "ip/rsa/pins.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/late_fault.hpp"

#include <optional>

using namespace levee;
using namespace levee::test;
using rsa::designs;

TEST_CASE("The array's RTL equals its reference in values and cycles, with full coverage")
{
    REQUIRE(designs().size() == 3);
    for (const std::size_t design : {1u, 2u})
        check_covered(designs()[design], 500, 2, 0);
}

TEST_CASE("Cosim of Kelle's size: an array of 32 x 32")
{
    REQUIRE(designs()[0].size == rsa::Shape{32, 32, 2048});
    check_equal(designs()[0], 10);
}

TEST_CASE("State that a reset leaves in the array is detected, however far from the output it is")
{
    rsa::Product product;
    product.m = product.n = product.k = 1;
    product.a = product.b = {1};
    for (const rsa::Design& design : designs()) {
        INFO(design.name);
        UnresetPins<rsa::Ports> pins(design.make({}));
        rsa::Driver driver(pins, true);
        const std::uint64_t cycles = driver.run({{product}}, {}).cycles;
        // The run ends in the cycle in which the product's wave enters.
        const auto way = static_cast<std::uint64_t>(rsa::first_lane_steps(design.size));
        rsa::Driver::Options cut;
        cut.most_cycles = cycles - way;
        driver.run({{product}}, cut);
        driver.reset();
        const std::optional<Difference> stray = driver.outstanding();
        REQUIRE(stray);
        CHECK(stray->signal == "out_valid_o");
        CHECK(stray->cycle == way - 1);
    }
}

namespace {

struct LateWaves {
    static bool loads(const rsa::Inputs& in, const rsa::Outputs& out)
    {
        return in.load != nullptr && out.load_ready;
    }
    static bool uses(const rsa::Inputs& in, const rsa::Outputs& out)
    {
        return in.wave != nullptr && out.in_ready;
    }
    static void spoil(rsa::Outputs& out) { out.sums[0] ^= 1; }
};

} // namespace

TEST_CASE("A fault that shows only in the 200th wave after a load is detected")
{
    CHECK(run_cosim<rsa::Ports>(make_late<rsa::Ports, 1, LateWaves>).value);
}
