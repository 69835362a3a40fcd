// SPDX-License-Identifier: Apache-2.0
// Tests the interval for which a printed number stands, and which variants are closer to it than
// the default.
#include "platform/studies/reproduce/nearness.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace levee::reproduce;

namespace {

void check(const std::string& text, double least, double most)
{
    INFO(text);
    const auto goal = printed(text);
    REQUIRE(goal);
    CHECK(goal->least == Approx(least));
    CHECK(goal->most == Approx(most));
}

/// A plan with variants "a" and "b" and rows R1 (published 4) and R2 (published 8).
struct TwoRows {
    Plan plan;
    std::vector<Comparison> lines;

    TwoRows()
    {
        plan.published = {{"R1", "", "", "", "4", "", {4}}, {"R2", "", "", "", "8.0", "", {8}}};
        plan.variants.resize(2);
        plan.variants[0].name = "a";
        plan.variants[1].name = "b";
        plan.rows.resize(2);
        plan.rows[0].id = "R1";
        plan.rows[1].id = "R2";
        lines.resize(2);
        for (std::size_t i = 0; i < 2; ++i) {
            lines[i].row = &plan.rows[i];
            lines[i].published = plan.published[i].numbers[0];
            lines[i].published_text = plan.published[i].text;
        }
        give(0, 5, 3, 4.4);
        give(1, 8.04, 8, 12);
    }
    void give(std::size_t line, double own, double a, double b)
    {
        lines[line].simulated = {own, {}};
        lines[line].variants = {{a, {}}, {b, {}}};
    }
    std::vector<std::string> nearer(std::size_t line)
    {
        find_nearer(plan, lines);
        return lines[line].nearer;
    }
};

} // namespace

TEST_CASE(
    "a printed number stands for all that round to it, a range for its ends, a bound for more")
{
    check("3.56", 3.555, 3.565);
    check("85", 84.5, 85.5);
    check("8e-4", 7.5e-4, 8.5e-4);
    check("~10.0", 9.95, 10.05);
    check("1.6-1.8", 1.55, 1.85);
    check(">2", 2, std::numeric_limits<double>::infinity());
    check("<0.1", -std::numeric_limits<double>::infinity(), 0.1);
    CHECK_FALSE(printed("6*T_SRAM+4*T_eDRAM"));
    CHECK_FALSE(printed("negligible loss"));
    CHECK_FALSE(printed("22.1/6.8"));
}

TEST_CASE("only variants closer than the default are named, the closest first")
{
    TwoRows rows;
    // Variant a is as far away as the default.
    CHECK(rows.nearer(0) == std::vector<std::string>{"b"});
    CHECK(rows.nearer(1).empty()); // The value 8.04 rounds to 8.0.
    rows.give(0, 9, 3, 4.4);
    CHECK(rows.nearer(0) == std::vector<std::string>{"b", "a"});
    rows.lines[0].variants[1] = {{}, "the run failed"};
    CHECK(rows.nearer(0) == std::vector<std::string>{"a"});
    rows.lines[0].simulated = {{}, "the run failed"};
    CHECK(rows.nearer(0).empty());
}

TEST_CASE("in a series, a row is judged by its ratio to the first row")
{
    TwoRows rows;
    rows.plan.rows[1].relative_to = "R1"; // The published ratio is 2.
    rows.give(0, 5, 3, 4);
    rows.give(1, 8, 6, 12);
    // The default's ratio is 1.6; the variants' ratios are 2 and 3.
    CHECK(rows.nearer(1) == std::vector<std::string>{"a"});
}
