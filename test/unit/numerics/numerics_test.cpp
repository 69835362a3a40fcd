// SPDX-License-Identifier: Apache-2.0
// Tests conversions, rounding, quantisation and random words.
#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <vector>

namespace {

using levee::kInfinity;
using levee::kNan;

std::uint32_t bits(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

} // namespace

TEST_CASE("every FP16 number is restored after conversion to FP32")
{
    for (std::uint32_t i = 0; i < 0x10000; ++i) {
        const auto half = static_cast<std::uint16_t>(i);
        const bool nan = (i & 0x7C00u) == 0x7C00u && (i & 0x3FFu) != 0;
        const float wide = levee::fp16_to_fp32(half);
        if (nan) {
            REQUIRE(bits(wide) == 0x7FC00000u);
            REQUIRE(levee::fp32_to_fp16(wide) == 0x7E00u);
            continue;
        }
        REQUIRE(levee::fp32_to_fp16(wide) == half);
    }
    CHECK(levee::fp16_to_fp32(0x3C00) == 1.0f);
    CHECK(levee::fp16_to_fp32(0xC000) == -2.0f);
    CHECK(levee::fp16_to_fp32(0x7BFF) == 65504.0f);
    CHECK(levee::fp16_to_fp32(0x0001) == std::ldexp(1.0f, -24));
    CHECK(levee::fp16_to_fp32(0x03FF) == std::ldexp(1023.0f, -24));
    CHECK(bits(levee::fp16_to_fp32(0x8000)) == 0x80000000u);
    CHECK(levee::fp16_to_fp32(0xFC00) == -kInfinity);
}

TEST_CASE("FP32 rounds to the nearest FP16, ties to even")
{
    // This is a tie that rounds down to even.
    CHECK(levee::fp32_to_fp16(1.0f + 0x1p-11f) == 0x3C00);
    // This is a tie that rounds up to even.
    CHECK(levee::fp32_to_fp16(1.0f + 3 * 0x1p-11f) == 0x3C02);
    CHECK(levee::fp32_to_fp16(1.0f + 0x1p-11f + 0x1p-20f) == 0x3C01); // This is just above the tie.
    CHECK(levee::fp32_to_fp16(65519.996f) == 0x7BFF);
    CHECK(levee::fp32_to_fp16(65520.0f) == 0x7C00);
    CHECK(levee::fp32_to_fp16(-1e30f) == 0xFC00);
    CHECK(levee::fp32_to_fp16(0x1p-25f) == 0x0000); // This is a tie with 0.
    CHECK(levee::fp32_to_fp16(0x1p-25f * 1.0001f) == 0x0001);
    CHECK(levee::fp32_to_fp16(-0x1.8p-24f) == 0x8002); // This is a tie between
                                                       // subnormal numbers.
    // This is subnormal and rounds up to a normal number.
    CHECK(levee::fp32_to_fp16(0x1.ffcp-15f + 0x1p-26f) == 0x0400);
    CHECK(levee::fp32_to_fp16(std::bit_cast<float>(0xFF812345u)) == 0x7E00);
}

TEST_CASE("float to integer rounds to even and saturates")
{
    CHECK(levee::round_to_int32(0.5f) == 0);
    CHECK(levee::round_to_int32(1.5f) == 2);
    CHECK(levee::round_to_int32(-2.5f) == -2);
    CHECK(levee::round_to_int32(-3.5f) == -4);
    CHECK(levee::round_to_int32(8388607.5f) == 8388608);
    CHECK(levee::round_to_int32(16777216.0f) == 16777216);
    CHECK(levee::round_to_int32(3e9f) == std::numeric_limits<std::int32_t>::max());
    CHECK(levee::round_to_int32(-kInfinity) == std::numeric_limits<std::int32_t>::min());
    CHECK(levee::round_to_int32(kNan) == 0);
    CHECK(levee::round_to_int64(2.5f) == 2);
    CHECK(levee::round_to_int64(-0x1p40f) == -(std::int64_t{1} << 40));
    CHECK(levee::round_to_int64(kInfinity) == std::numeric_limits<std::int64_t>::max());
    CHECK(levee::round_to_int64(-1e30f) == std::numeric_limits<std::int64_t>::min());
    CHECK(levee::round_to_int64(kNan) == 0);
    CHECK(levee::round_even_small(4194303.5f) == 4194304.0f);
}

TEST_CASE("a vector is quantised by its largest magnitude")
{
    const std::vector<float> x = {1.0f, -32767.0f, 0.5f, 1.5f, -2.5f, 0.0f};
    std::vector<std::int16_t> codes(x.size());
    CHECK(levee::quantise_int16(x, codes) == 1.0f);
    CHECK(codes == std::vector<std::int16_t>{1, -32767, 0, 2, -2, 0});

    const std::vector<float> half = {0.25f, -0.125f};
    CHECK(levee::quantise_int16(half, codes) == 0.25f / 32767.0f);
    CHECK(codes[0] == 32767);
    CHECK(codes[1] == -16384); // The value -16383.5 rounds to even.
}

TEST_CASE("quantisation to 8 bits: codes up to 127, halves to even, zeros stay zeros")
{
    std::vector<std::int8_t> codes(4);
    CHECK(levee::quantise_int8(std::vector<float>{127.0f, -127.0f, 2.5f, -3.5f}, codes) == 1.0f);
    CHECK(codes == std::vector<std::int8_t>{127, -127, 2, -4});
    CHECK(levee::quantise_int8(std::vector<float>{0.0f, -0.0f, kNan, 0.0f}, codes) == 0.0f);
    CHECK(codes == std::vector<std::int8_t>{0, 0, 0, 0});
    CHECK(levee::quantise_int8(std::vector<float>{kInfinity, -kInfinity, kNan, 1.0f}, codes) ==
          std::numeric_limits<float>::max() / 127.0f);
    CHECK(codes == std::vector<std::int8_t>{127, -127, 0, 0});
}

TEST_CASE("quantisation to 4 bits: codes up to 7, halves to even, zeros stay zeros")
{
    std::vector<std::int8_t> codes(4);
    CHECK(levee::quantise_int4(std::vector<float>{14.0f, -14.0f, 5.0f, -3.0f}, codes) == 2.0f);
    CHECK(codes == std::vector<std::int8_t>{7, -7, 2, -2});
    CHECK(levee::quantise_int4(std::vector<float>{0.0f, -0.0f, kNan, 0.0f}, codes) == 0.0f);
    CHECK(codes == std::vector<std::int8_t>{0, 0, 0, 0});
    CHECK(levee::quantise_int4(std::vector<float>{kInfinity, -kInfinity, kNan, 1.0f}, codes) ==
          std::numeric_limits<float>::max() / 7.0f);
    CHECK(codes == std::vector<std::int8_t>{7, -7, 0, 0});
}

TEST_CASE("quantisation is defined for zeros, NaN, infinities and the smallest numbers")
{
    std::vector<std::int16_t> codes(4, 99);
    CHECK(levee::quantise_int16(std::vector<float>{0.0f, -0.0f, 0.0f, kNan}, codes) == 0.0f);
    CHECK(codes == std::vector<std::int16_t>(4, 0));

    const float largest = std::numeric_limits<float>::max();
    CHECK(levee::quantise_int16(std::vector<float>{kInfinity, -kInfinity, kNan, 1.0f}, codes) ==
          largest / 32767.0f);
    CHECK(codes == std::vector<std::int16_t>{32767, -32767, 0, 0});

    const float tiny = std::numeric_limits<float>::denorm_min();
    CHECK(levee::quantise_int16(std::vector<float>{tiny, -tiny, 0.0f, tiny}, codes) == 0.0f);
    CHECK(codes == std::vector<std::int16_t>(4, 0));

    // The scale is subnormal and has few bits, so the largest quotient is clamped.
    const std::vector<float> coarse = {0x1.5p-134f, -0x1.5p-134f, 0x1.5p-135f, 0.0f};
    const float scale = levee::quantise_int16(coarse, codes);
    CHECK(scale == tiny);
    CHECK(codes[0] == std::min(32767, static_cast<int>(coarse[0] / tiny)));
    CHECK(codes[1] == -codes[0]);
}

TEST_CASE("quantised values lie within half a step of the originals")
{
    std::vector<float> x(173);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = (levee::unit_interval(levee::random_word(5, 1, i)) - 0.5f) * 7.0f;
    std::vector<std::int16_t> codes(x.size());
    const double scale = levee::quantise_int16(x, codes);
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(std::abs(codes[i] * scale - x[i]) <= scale * 0.5001);
        largest = std::max(largest, std::abs(static_cast<double>(codes[i])));
    }
    CHECK(largest == 32767.0);
}

TEST_CASE("random words are a fixed function of seed, stream and index")
{
    // The values are fixed, because a changed generator would change every sampled text.
    CHECK(levee::random_word(0, 0, 0) == 0xA2F7C0A7u);
    CHECK(levee::random_word(1, 2, 3) == 0x44081906u);
    std::set<std::uint32_t> seen;
    double sum = 0.0;
    for (std::uint32_t i = 0; i < 4096; ++i) {
        seen.insert(levee::random_word(i % 16, i / 16 % 16, i / 256));
        const float u = levee::unit_interval(levee::random_word(7, 0, i));
        CHECK((u >= 0.0f && u < 1.0f));
        sum += u;
    }
    CHECK(seen.size() == 4096);
    CHECK(sum / 4096 == Approx(0.5).margin(0.02)); // The tolerance is 4.4 standard deviations.
    CHECK(levee::unit_interval(0xFFFFFFFFu) < 1.0f);
}

TEST_CASE("packed rows: INT3 eight to three bytes, the first lowest, sign extended")
{
    // The codes 1, 2, 3, -4, -1, 0, 1, -2 are the bits 001 010 011 100 111 000 001 110 from the
    // lowest on.
    const std::byte row[] = {std::byte{0xD1}, std::byte{0x78}, std::byte{0xC4}, std::byte{0x03}};
    const std::int32_t codes[] = {1, 2, 3, -4, -1, 0, 1, -2, 3};
    for (std::size_t i = 0; i < std::size(codes); ++i)
        CHECK(levee::integer_element(row, LEVEE_TYPE_INT3, i) == codes[i]);
    CHECK(levee::bytes_of(8, LEVEE_TYPE_INT3) == 3);
    CHECK(levee::bytes_of(9, LEVEE_TYPE_INT3) == 4);
}

TEST_CASE("packed rows: INT4 low nibble first, sign extended")
{
    const std::byte row[2] = {std::byte{0x8F}, std::byte{0x07}};
    CHECK(levee::integer_element(row, LEVEE_TYPE_INT4, 0) == -1);
    CHECK(levee::integer_element(row, LEVEE_TYPE_INT4, 1) == -8);
    CHECK(levee::integer_element(row, LEVEE_TYPE_INT4, 2) == 7);
    CHECK(levee::integer_element(row, LEVEE_TYPE_INT8, 0) == -113);
    CHECK(levee::integer_element(row, LEVEE_TYPE_INT16, 0) == 0x078F);
    CHECK(levee::bytes_of(5, LEVEE_TYPE_INT4) == 3);
    CHECK(levee::bytes_of(5, LEVEE_TYPE_FP32) == 20);
}
