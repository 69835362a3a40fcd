// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/bench.hpp"
#include "ip/voting_engine/pins.hpp"
#include "platform/studies/cosim/cosim.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using voting_engine::designs;

namespace {

cosim::Report run(voting_engine::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_voting_bench(make, {options.seed, ""}), options);
}

const voting_engine::Design& small()
{
    REQUIRE(designs().size() == 2);
    REQUIRE(designs()[1].size == 64);
    return designs()[1];
}

} // namespace

TEST_CASE("the engine's RTL is its reference, in values and cycles, and all of it was seen")
{
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        INFO("seed " << seed);
        const cosim::Report report = run(small().make_checked, {1000, seed, true, true});
        CHECK_FALSE(report.differs());
        CHECK(report.operations == 1000);
        CHECK(report.comparisons > report.cycles);
        CHECK(report.coverage.size() == 36);
        CHECK(report.not_covered.empty());
    }
}

TEST_CASE("the paper's size: 4096 elements, 4096 counts")
{
    REQUIRE(designs()[0].size == 4096);
    const cosim::Report report = run(designs()[0].make_checked, {40, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK(report.operations == 40);
}

TEST_CASE("few operations do not cover all, and it is said what is missing")
{
    const cosim::Report report = run(small().make_checked, {1, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK_FALSE(report.not_covered.empty());
}
