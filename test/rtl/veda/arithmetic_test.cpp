// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/veda/arithmetic.hpp"

#include <catch2/catch.hpp>

using namespace levee::test;

namespace {

std::string hex(const Results& results)
{
    char text[80];
    std::snprintf(text, sizeof text, "a*b %08x, a*b+x %08x, x+y %08x, half(x) %04x",
                  results.product, results.multiply_add, results.sum, results.narrow);
    return text;
}

bool agree(Arithmetic& rtl, const Operands& operands)
{
    const Results got = rtl(operands);
    const Results expected = reference(operands);
    if (got == expected)
        return true;
    char text[80];
    std::snprintf(text, sizeof text, "a %04x, b %04x, x %08x, y %08x", operands.a, operands.b,
                  operands.x, operands.y);
    FAIL_CHECK(text << "\nexpected " << hex(expected) << "\ngot      " << hex(got));
    return false;
}

} // namespace

TEST_CASE("multiply-add by hand: exact, rounded to even, infinite, and NaN")
{
    Arithmetic rtl;
    // 1.5 * -2 = -3; -3 + 3 = +0; 3 + 1 = 4; 3 in FP16.
    CHECK(hex(rtl({0x3E00, 0xC000, 0x40400000, 0x3F800000})) ==
          "a*b c0400000, a*b+x 00000000, x+y 40800000, half(x) 4200");
    // The product of the smallest subnormals is 2^-48. 2^24 + 1 is a tie to even, twice 2^24 + 2.
    // In FP16, 2^24 is infinite.
    CHECK(hex(rtl({0x0001, 0x8001, 0x4B800000, 0x3F800000})) ==
          "a*b a7800000, a*b+x 4b800000, x+y 4b800000, half(x) 7c00");
    CHECK(rtl({0, 0, 0x4B800001, 0x3F800000}).sum == 0x4B800002);
    // The cases are infinity times zero, infinity less infinity, and -0 plus -0.
    CHECK(rtl({0x7C00, 0x8000, 0, 0}).product == 0x7FC00000);
    CHECK(rtl({0x7C00, 0xBC00, 0x7F800000, 0}).multiply_add == 0x7FC00000);
    CHECK(rtl({0, 0, 0x80000000, 0x80000000}).sum == 0x80000000);
    CHECK(rtl({0, 0, 0x80000000, 0}).sum == 0);
}

TEST_CASE("every pair of special values, through each unit")
{
    Arithmetic rtl;
    std::uint64_t compared = 0;
    bool good = true;
    for (const std::uint16_t a : special_fp16())
        for (const std::uint16_t b : special_fp16())
            for (const std::uint32_t x : special_fp32()) {
                good = agree(rtl, {a, b, x, x ^ 0x80000000u}) && good;
                ++compared;
            }
    for (const std::uint32_t x : special_fp32())
        for (const std::uint32_t y : special_fp32()) {
            good = agree(rtl, {0x3C00, 0x3C00, x, y}) && good;
            ++compared;
        }
    CHECK(good);
    CHECK(compared == 48 * 48 * 80 + 80 * 80);
}

TEST_CASE("every FP16 number times one, converted to FP16 again, is unchanged")
{
    Arithmetic rtl;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto value = static_cast<std::uint16_t>(bits);
        const std::uint32_t wide = rtl({value, 0x3C00, 0, 0}).product;
        const bool nan = (bits & 0x7FFF) > 0x7C00;
        const std::uint32_t back = rtl({0, 0, wide, 0}).narrow;
        if (back != (nan ? 0x7E00 : bits))
            FAIL_CHECK("FP16 " << bits << " came back as " << back);
    }
}

TEST_CASE("random multiply-adds agree with the reference bit for bit")
{
    Arithmetic rtl;
    std::mt19937_64 random(1);
    bool good = true;
    for (int i = 0; i < 200'000 && good; ++i)
        good = agree(rtl, random_operands(random));
    CHECK(good);
}
