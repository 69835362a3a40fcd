// SPDX-License-Identifier: Apache-2.0
// Tests the check itself: co-simulation must detect every single fault of a design. Compiled once
// for each block (levee_mutants_test).
#include LEVEE_MUTANTS_PINS
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::LEVEE_MUTANTS_NAMESPACE {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee::test;

constexpr auto make = make_mutant<levee::LEVEE_MUTANTS_NAMESPACE::mutants>;

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return is_caught(make, mutant.number, operations);
}

} // namespace

TEST_CASE("The design with all faults built in, but none selected, agrees")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
}

TEST_CASE(
    "All rules apply to the design, and no reason is listed for a fault that no longer exists")
{
    const std::vector<Mutant> mutants = read_mutants(LEVEE_MUTANTS_LIST);
    std::set<std::string> rules = all_rules();
    rules.erase(LEVEE_MUTANTS_WITHOUT);
    CHECK(rules_of(mutants) == rules);
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the design is detected, except those listed as changing nothing")
{
    CHECK(surprises(is_detected, read_mutants(LEVEE_MUTANTS_LIST), LEVEE_EQUIVALENT_FAULTS) == "");
}
