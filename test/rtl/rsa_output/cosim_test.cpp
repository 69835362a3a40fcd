// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/bench.hpp"
#include "ip/rsa/output/pins.hpp"
#include "platform/studies/cosim/cosim.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using rsa::output::designs;

namespace {

cosim::Report run(rsa::output::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_rsa_output_bench(make, {options.seed, ""}), options);
}

} // namespace

TEST_CASE("The output-stationary array's RTL is its reference, in values and cycles, and all of it "
          "was seen")
{
    REQUIRE(designs().size() == 3);
    for (const std::size_t design : {1u, 2u})
        for (const std::uint32_t seed : {1u, 2u}) {
            INFO(designs()[design].name << ", seed " << seed);
            const cosim::Report report =
                run(designs()[design].make_checked, {500, seed, true, true});
            CHECK_FALSE(report.differs());
            CHECK(report.operations == 500);
            CHECK(report.comparisons > report.cycles);
            CHECK(report.not_covered.empty());
        }
}

TEST_CASE("Kelle's size: an output-stationary array of 32 x 32")
{
    REQUIRE(designs()[0].size == rsa::output::Shape{32, 32});
    const cosim::Report report = run(designs()[0].make_checked, {10, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK(report.operations == 10);
}
