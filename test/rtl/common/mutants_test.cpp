// SPDX-License-Identifier: Apache-2.0
// Tests the check itself: the test's operands must reveal every single fault in the RTL of the FP32
// units.
#include "test/rtl/common/units.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

using namespace levee::test;

struct Question {
    std::uint32_t a, b, stalls;
    UnitResults right;
};

/// Returns special values in pairs, FP16 numbers, then random ones, some of them with stalls.
const std::vector<Question>& questions()
{
    static const std::vector<Question> all = [] {
        constexpr int random_questions = 20'000;
        std::vector<Question> asked;
        const auto ask = [&asked](std::uint32_t a, std::uint32_t b, std::uint32_t stalls) {
            asked.push_back({a, b, stalls, units_reference(a, b)});
        };
        std::mt19937_64 random(2);
        for (int i = 0; i < 2000; ++i)
            ask(random_float(random), random_float(random), static_cast<std::uint32_t>(random()));
        for (const std::uint32_t a : special_floats())
            for (const std::uint32_t b : special_floats())
                ask(a, b, 0);
        for (const auto& [a, b] : subnormal_quotients())
            ask(a, b, 0);
        for (std::uint32_t half = 0; half < 0x10000; half += 7)
            ask(half, 0x3F800000, 0);
        for (int i = 0; i < random_questions; ++i)
            ask(random_float(random), random_float(random), 0);
        return asked;
    }();
    return all;
}

/// Returns whether results agree with the host's, for a share `operations` / most_operations of the
/// operands.
bool answers_agree(unsigned mutant, std::uint64_t operations = most_operations)
{
    FloatUnits units(mutant);
    for (const unsigned under_way : {3u, 18u})
        if (!units.is_quiet_after_reset(under_way))
            return false;
    const auto count =
        static_cast<std::ptrdiff_t>(questions().size() * operations / most_operations);
    return std::all_of(questions().begin(), questions().begin() + count,
                       [&](const Question& question) {
                           return units(question.a, question.b, question.stalls) == question.right;
                       });
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return !answers_agree(mutant.number, operations);
}

} // namespace

TEST_CASE("The FP32 units with all faults built in, but none selected, agree")
{
    CHECK(answers_agree(0));
}

TEST_CASE("No reason is listed for a fault of the FP32 units that no longer exists")
{
    CHECK(strays(read_mutants(levee_fp32_units_mutants_list), LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the FP32 units is detected, except those listed as changing nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_fp32_units_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}
