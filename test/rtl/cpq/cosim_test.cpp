// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/bench.hpp"
#include "ip/cpq/pins.hpp"
#include "platform/studies/cosim/cosim.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using cpq::designs;

namespace {

cosim::Report run(cpq::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_cpq_bench(make, {options.seed, ""}), options);
}

} // namespace

TEST_CASE("the RTL is its reference, in values and cycles, and all of it was seen")
{
    REQUIRE(designs().size() == 2);
    REQUIRE(designs()[1].size == 4);
    for (const std::uint32_t seed : {1u, 2u}) {
        INFO("seed " << seed);
        const cosim::Report report = run(designs()[1].make_checked, {3000, seed, true, true});
        CHECK_FALSE(report.differs());
        CHECK(report.operations == 3000);
        CHECK(report.comparisons > report.cycles);
        CHECK(report.coverage.size() == 7);
        CHECK(report.not_covered.empty());
    }
}

TEST_CASE("the paper's size: 32 values at a time")
{
    REQUIRE(designs()[0].size == 32);
    const cosim::Report report = run(designs()[0].make_checked, {200, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK(report.operations == 200);
}

TEST_CASE("few operations do not cover all, and it is said what is missing")
{
    const cosim::Report report = run(designs()[1].make_checked, {1, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK_FALSE(report.not_covered.empty());
}
