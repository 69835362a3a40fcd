// SPDX-License-Identifier: Apache-2.0
// The check is checked: single faults of the voting engine's RTL, each must be detected by
// co-simulation.
#include "platform/studies/cosim/voting_engine.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::voting_engine {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

std::unique_ptr<cosim::Bench> make(unsigned mutant)
{
    return cosim::make_voting_bench(voting_engine::mutants.make,
                                    {1, "+levee_mutant=" + std::to_string(mutant)});
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return is_caught(make, mutant.number, operations);
}

} // namespace

TEST_CASE("Without a fault the design with all of them agrees")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
}

TEST_CASE(
    "All rules find places in the voting engine, and no reason is left of a fault that is gone")
{
    const std::vector<Mutant> mutants = read_mutants(levee_voting_mutants_list);
    CHECK(rules_of(mutants) == all_rules());
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the voting engine is caught, but those argued to change nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_voting_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}
