// SPDX-License-Identifier: Apache-2.0
// The check is checked: single faults of the evictor's RTL, each must be detected by co-simulation.
#include "ip/systolic_evictor/bench.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::systolic_evictor {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

std::unique_ptr<cosim::Bench> make(unsigned mutant)
{
    return cosim::make_evictor_bench(systolic_evictor::mutants.make,
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

TEST_CASE("All rules find places in the evictor, and no reason is left of a fault that is gone")
{
    const std::vector<Mutant> mutants = read_mutants(levee_evictor_mutants_list);
    std::set<std::string> rules = all_rules();
    rules.erase("shift"); // there is none
    CHECK(rules_of(mutants) == rules);
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the evictor is caught, but those argued to change nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_evictor_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}
