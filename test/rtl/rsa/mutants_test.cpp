// SPDX-License-Identifier: Apache-2.0
// The check is checked: single faults of the array's RTL, each must be detected by co-simulation.
#include "ip/rsa/bench.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::rsa {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

std::unique_ptr<cosim::Bench> make(unsigned mutant)
{
    return cosim::make_rsa_bench(rsa::mutants.make, {1, "+levee_mutant=" + std::to_string(mutant)});
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return is_caught(make, mutant.number, operations);
}

} // namespace

TEST_CASE("Without a fault the array with all of them agrees")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
}

TEST_CASE("No reason is left of a fault of the array that is gone")
{
    const std::vector<Mutant> mutants = read_mutants(levee_rsa_mutants_list);
    CHECK(mutants.size() > 200);
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the array is caught, but those argued to change nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_rsa_mutants_list), LEVEE_EQUIVALENT_FAULTS) ==
          "");
}
