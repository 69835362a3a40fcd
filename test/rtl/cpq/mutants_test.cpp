// SPDX-License-Identifier: Apache-2.0
// The check is checked: single faults of the RTL, each must be detected by co-simulation.
#include "ip/cpq/bench.hpp"
#include "ip/cpq/pins.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::cpq {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

std::unique_ptr<cosim::Bench> make(unsigned mutant)
{
    return cosim::make_cpq_bench(cpq::mutants.make, {1, "+levee_mutant=" + std::to_string(mutant)});
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return is_caught(make, mutant.number, operations);
}

} // namespace

TEST_CASE("without a fault the design with all of them agrees")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
}

TEST_CASE("no reason is left of a fault that is gone")
{
    CHECK(strays(read_mutants(levee_cpq_mutants_list), LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("every fault of the units is caught, but those argued to change nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_cpq_mutants_list), LEVEE_EQUIVALENT_FAULTS) ==
          "");
}
