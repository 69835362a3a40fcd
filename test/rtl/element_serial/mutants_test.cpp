// SPDX-License-Identifier: Apache-2.0
// Tests the check itself. Co-simulation must detect every single fault of the element-serial unit's
// RTL. For the exponential, the test of the unit alone must detect it.
#include "ip/element_serial/pins.hpp"
#include "test/rtl/element_serial/exp.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::element_serial {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

constexpr auto make = make_mutant<element_serial::mutants>;

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    // Some faults, such as a reset in one step of a norm, show only in a few operations. This test
    // therefore runs ten times as many.
    return is_caught(make, mutant.number, 10 * operations);
}

/// Returns whether powers agree with the definition, for a share `operations` / most_operations of
/// the numbers.
bool powers_agree(unsigned mutant, std::uint64_t operations = most_operations)
{
    static const std::vector<std::uint32_t> questions = exp_questions(2, 200'000);
    static const std::vector<std::uint32_t> right = [] {
        std::vector<std::uint32_t> powers;
        for (const std::uint32_t x : questions)
            powers.push_back(exp_reference(x));
        return powers;
    }();
    ExpUnit unit(mutant);
    const std::size_t count = questions.size() * operations / most_operations;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t got = unit(questions[i], i % 16 == 0 ? 2 : 0);
        if (i >= exp_unit_stages && got != right[i - exp_unit_stages])
            return false;
    }
    return true;
}

bool power_is_wrong(const Mutant& mutant, std::uint64_t operations)
{
    return !powers_agree(mutant.number, operations);
}

} // namespace

TEST_CASE("The element-serial unit with all faults built in, but none selected, agrees")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
    CHECK(powers_agree(0));
}

TEST_CASE("All rules apply to the element-serial unit, and no reason is listed for a fault that no "
          "longer exists")
{
    std::vector<Mutant> mutants = read_mutants(levee_element_serial_mutants_list);
    for (const Mutant& mutant : read_mutants(levee_element_serial_exp_mutants_list))
        mutants.push_back(mutant);
    CHECK(rules_of(mutants) == all_rules());
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE(
    "Every fault of the element-serial unit is detected, except those listed as changing nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_element_serial_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the exponential is detected, except those listed as changing nothing")
{
    CHECK(surprises(power_is_wrong, read_mutants(levee_element_serial_exp_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}
