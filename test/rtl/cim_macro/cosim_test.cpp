// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/bench.hpp"
#include "ip/cim_macro/pins.hpp"
#include "platform/studies/cosim/cosim.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace levee;
using cim_macro::designs;

namespace {

cosim::Report run(cim_macro::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_cim_macro_bench(make, {options.seed, ""}), options);
}

} // namespace

TEST_CASE("the macro's RTL is its reference, in values and cycles, and all of it was seen")
{
    REQUIRE(designs().size() == 2);
    REQUIRE(designs()[1].size == cim_macro::Shape{16, 4});
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        INFO("seed " << seed);
        const cosim::Report report = run(designs()[1].make_checked, {1000, seed, true, true});
        CHECK_FALSE(report.differs());
        CHECK(report.operations == 1000);
        CHECK(report.comparisons > report.cycles);
        CHECK(report.coverage.size() == 9);
        CHECK(report.not_covered.empty());
    }
}

TEST_CASE("Titanus's size: 256 inputs, 32 outputs")
{
    REQUIRE(designs()[0].size == cim_macro::Shape{256, 32});
    const cosim::Report report = run(designs()[0].make_checked, {30, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK(report.operations == 30);
}

TEST_CASE("some rows stay for hundreds of vectors: a fault may show after so many alone")
{
    const auto bench = cosim::make_cim_macro_bench(designs()[1].make_checked, {1, ""});
    unsigned most = 0;
    for (std::uint64_t operation = 0; operation < 200; ++operation) {
        const std::string text = bench->describe(operation);
        const std::size_t end = text.rfind(" vectors");
        most = std::max(
            most, static_cast<unsigned>(std::stoul(text.substr(text.rfind(' ', end - 1) + 1))));
    }
    CHECK(most >= 256);
}
