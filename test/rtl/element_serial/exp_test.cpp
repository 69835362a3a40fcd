// SPDX-License-Identifier: Apache-2.0
// Compares the exponential's RTL and its table with docs/numerics.md.
#include "core/numerics/numerics.hpp"
#include "test/rtl/element_serial/exp.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cstdio>

using namespace levee;
using namespace levee::test;

namespace {

/// Computes the powers of all numbers, one per cycle, and returns how many are wrong.
int wrong_powers(const std::vector<std::uint32_t>& questions)
{
    ExpUnit unit;
    int wrong = 0;
    for (std::size_t i = 0; i < questions.size() + exp_unit_stages; ++i) {
        const std::uint32_t got = unit(questions[i % questions.size()], i % 16 == 0 ? 2 : 0);
        if (i < exp_unit_stages)
            continue;
        const std::uint32_t x = questions[i - exp_unit_stages];
        if (got != exp_reference(x) && ++wrong < 10) {
            char text[80];
            std::snprintf(text, sizeof text, "of %08x expected %08x, got %08x", x, exp_reference(x),
                          got);
            FAIL_CHECK(text);
        }
    }
    return wrong;
}

} // namespace

TEST_CASE("powers of numbers of all sizes equal the reference bit for bit")
{
    CHECK(wrong_powers(exp_questions(1, 1'000'000)) == 0);
}

TEST_CASE("every entry of the table, and the values up to the next entry, equal the reference")
{
    // Four numbers for each entry of the table: its own, and three between it and the next entry.
    std::vector<std::uint32_t> questions;
    for (int entry = 0; entry < 512; ++entry)
        for (const float way : {0.0f, 0.25f, 0.5f, 0.999f})
            questions.push_back(std::bit_cast<std::uint32_t>(
                (static_cast<float>(entry) + way - 512.0f) * (0.693147180559945f / 512.0f)));
    CHECK(wrong_powers(questions) == 0);
}
