// SPDX-License-Identifier: Apache-2.0
// Tests the check itself. Every single fault of the arrays' RTL must be detected by co-simulation
// or by the check of the arithmetic alone. The check of the arithmetic also covers numbers that
// FP16 products cannot reach at the arrays' ports.
#include "ip/veda/pins.hpp"
#include "test/rtl/mutant_run.hpp"
#include "test/rtl/veda/arithmetic.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

namespace levee::veda {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

constexpr auto make = make_mutant<veda::mutants>;

/// Returns inputs of the arithmetic with the right results: special values in pairs, then random
/// ones.
const std::vector<std::pair<Operands, Results>>& questions()
{
    static const std::vector<std::pair<Operands, Results>> all = [] {
        constexpr int random_questions = 200'000;
        std::vector<Operands> operands;
        for (const std::uint16_t a : special_fp16())
            for (const std::uint16_t b : special_fp16())
                operands.push_back({a, b, 0, 0});
        for (const std::uint32_t x : special_fp32())
            for (const std::uint32_t y : special_fp32())
                operands.push_back({0, 0, x, y});
        std::mt19937_64 random(2);
        for (int i = 0; i < random_questions; ++i)
            operands.push_back(random_operands(random));
        std::vector<std::pair<Operands, Results>> answered;
        for (const Operands& one : operands)
            answered.emplace_back(one, reference(one));
        return answered;
    }();
    return all;
}

bool arithmetic_agrees(unsigned mutant)
{
    Arithmetic arithmetic(mutant);
    return std::all_of(questions().begin(), questions().end(), [&](const auto& question) {
        return arithmetic(question.first) == question.second;
    });
}

/// Returns whether the test of the arithmetic alone detects the fault.
bool arithmetic_detects(const Mutant& mutant)
{
    static const std::vector<Mutant> faults = read_mutants(levee_veda_arithmetic_mutants_list);
    return std::any_of(faults.begin(), faults.end(), [&](const Mutant& fault) {
        return fault.text == mutant.text && !arithmetic_agrees(fault.number);
    });
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return arithmetic_detects(mutant) || is_caught(make, mutant.number, operations);
}

} // namespace

TEST_CASE("The arrays with all faults built in, but none selected, agree")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
    CHECK(arithmetic_agrees(0));
}

TEST_CASE(
    "All rules apply to the arrays, and no reason is listed for a fault that no longer exists")
{
    const std::vector<Mutant> mutants = read_mutants(levee_veda_mutants_list);
    CHECK(rules_of(mutants) == all_rules());
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the arrays is detected, except those listed as changing nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_veda_mutants_list), LEVEE_EQUIVALENT_FAULTS) ==
          "");
}
