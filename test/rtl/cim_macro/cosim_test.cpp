// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/pins.hpp"
#include "test/rtl/cosim.hpp"

#include <algorithm>

using namespace levee;
using namespace levee::test;
using cim_macro::designs;

TEST_CASE("the macro's RTL equals its reference in values and cycles, with full coverage")
{
    REQUIRE(designs().size() == 2);
    REQUIRE(designs()[1].size == cim_macro::Shape{16, 4});
    check_covered(designs()[1], 1000, 3, 9);
}

TEST_CASE("cosim of Titanus's size: 256 inputs, 32 outputs")
{
    REQUIRE(designs()[0].size == cim_macro::Shape{256, 32});
    check_equal(designs()[0], 30);
}

TEST_CASE(
    "cosim keeps some rows for hundreds of vectors, because a fault may show only after so many")
{
    const auto bench = cim_macro::Ports::make_bench(designs()[1].make_checked, {1, ""});
    unsigned most = 0;
    for (std::uint64_t operation = 0; operation < 200; ++operation) {
        const std::string text = bench->describe(operation);
        const std::size_t end = text.rfind(" vectors");
        most = std::max(
            most, static_cast<unsigned>(std::stoul(text.substr(text.rfind(' ', end - 1) + 1))));
    }
    CHECK(most >= 256);
}
