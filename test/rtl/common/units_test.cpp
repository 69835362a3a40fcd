// SPDX-License-Identifier: Apache-2.0
// Compares the FP32 units of rtl/common with the host's arithmetic.
#include "test/rtl/common/units.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <string>

using namespace levee::test;

namespace {

std::string hex(const UnitResults& results)
{
    char text[120];
    std::snprintf(text, sizeof text, "a*b %08x, a/b %08x in %u, root %08x in %u", results.product,
                  results.quotient, results.quotient_cycles, results.root, results.root_cycles);
    return text;
}

bool units_agree(FloatUnits& units, std::uint32_t a, std::uint32_t b, std::uint32_t stalls = 0)
{
    const UnitResults got = units(a, b, stalls), expected = units_reference(a, b);
    if (got == expected)
        return true;
    char text[40];
    std::snprintf(text, sizeof text, "a %08x, b %08x", a, b);
    FAIL_CHECK(text << "\nexpected " << hex(expected) << "\ngot      " << hex(got));
    return false;
}

} // namespace

TEST_CASE("product, quotient and root by hand")
{
    FloatUnits units;
    CHECK(hex(units(0x40C00000, 0x40000000)) ==
          "a*b 41400000, a/b 40400000 in 15, root 401cc471 in 15");
    // The cases are 1 / 3; half of the smallest subnormal, a tie to even; infinity times 0; and the
    // root of -1.
    CHECK(units(0x3F800000, 0x40400000).quotient == 0x3EAAAAAB);
    CHECK(units(0x00000001, 0x40000000).quotient == 0);
    CHECK(units(0x00000003, 0x40000000).quotient == 2);
    CHECK(units(0x7F800000, 0).product == 0x7FC00000);
    CHECK(units(0xBF800000, 0).root == 0x7FC00000);
    CHECK(units(0xBF800000, 0).quotient == 0xFF800000);
    CHECK(units(0x80000000, 0).root == 0x80000000);
}

TEST_CASE("every pair of special values through the FP32 units")
{
    FloatUnits units;
    bool good = true;
    for (const std::uint32_t a : special_floats())
        for (const std::uint32_t b : special_floats())
            good = units_agree(units, a, b) && good;
    CHECK(good);
}

TEST_CASE("after a reset the iterative units give no result, whatever they computed before")
{
    FloatUnits units;
    for (unsigned under_way = 0; under_way < 20; ++under_way)
        CHECK(units.is_quiet_after_reset(under_way));
    CHECK(units(0x40C00000, 0x40000000) == units_reference(0x40C00000, 0x40000000));
}

TEST_CASE("ties of subnormal quotients are rounded to even")
{
    FloatUnits units;
    bool good = true;
    for (const auto& [a, b] : subnormal_quotients())
        good = units_agree(units, a, b) && good;
    CHECK(good);
}

TEST_CASE("every FP16 number as FP32")
{
    FloatUnits units;
    bool good = true;
    for (std::uint32_t half = 0; half < 0x10000; ++half)
        good = units_agree(units, half, 0x3F800000) && good;
    CHECK(good);
}

TEST_CASE("random products, quotients and roots agree with the host, stalled or not")
{
    FloatUnits units;
    std::mt19937_64 random(1);
    bool good = true;
    for (int i = 0; i < 100'000 && good; ++i) {
        const std::uint32_t a = random_float(random), b = random_float(random);
        good = units_agree(units, a, b, i % 8 == 0 ? static_cast<std::uint32_t>(random()) : 0);
    }
    CHECK(good);
}
