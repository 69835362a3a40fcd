// SPDX-License-Identifier: Apache-2.0
// Tests the check itself: co-simulation must detect every single fault of the error correction
// unit's RTL.
#include "ip/flash/ecu/pins.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::flash::ecu {
extern const RtlModel<Ports> mutants, full_mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

/// Returns whether co-simulation detects the fault with either page format. The designs for both
/// formats have the same faults.
bool is_caught_by_any(unsigned mutant, std::uint64_t operations)
{
    return is_caught(make_mutant<flash::ecu::mutants>, mutant, operations) ||
           is_caught(make_mutant<flash::ecu::full_mutants>, mutant, operations);
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return is_caught_by_any(mutant.number, operations);
}

} // namespace

TEST_CASE("The unit with all faults built in, but none selected, agrees")
{
    CHECK_FALSE(is_caught_by_any(0, most_operations));
}

TEST_CASE("All rules apply to the unit, and no reason is listed for a fault that no longer exists")
{
    const std::vector<Mutant> mutants = read_mutants(levee_flash_ecu_mutants_list);
    CHECK(rules_of(mutants) == all_rules());
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the unit is detected, except those listed as changing nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_flash_ecu_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}
