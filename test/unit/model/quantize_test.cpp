// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/quantize.hpp"
#include "platform/input/model/rope_phase.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

using namespace levee;

TEST_CASE("INT8 rows have a scale each and round ties to even")
{
    // The scales are 1 and 2^-3, so the codes are exact quotients.
    const std::vector<float> values{127.0F, 0.5F, 1.5F, -2.5F, 15.875F, 0.0625F, 0.1875F, -15.875F};
    const PackedMatrix packed = pack_matrix(values, 2, 4, LEVEE_TYPE_INT8, "m");
    CHECK(packed.row_bytes == 4);
    CHECK(packed.scales == std::vector<float>{1.0F, 0.125F});
    CHECK(packed.data == std::vector<std::uint8_t>{127, 0, 2, 0xFE, 127, 0, 2, 0x81});

    std::vector<float> back(4);
    unpack_row(std::span(packed.data).subspan(4), LEVEE_TYPE_INT8, packed.scales[1], back);
    CHECK(back == std::vector<float>{15.875F, 0.0F, 0.25F, -15.875F});
}

TEST_CASE("INT4 packs two codes to a byte, the earlier in the low bits")
{
    const std::vector<float> values{7.0F, -7.0F, 2.5F};
    const PackedMatrix packed = pack_matrix(values, 1, 3, LEVEE_TYPE_INT4, "m");
    CHECK(packed.row_bytes == 2);
    CHECK(packed.data == std::vector<std::uint8_t>{0x97, 0x02});

    std::vector<float> back(3);
    unpack_row(packed.data, LEVEE_TYPE_INT4, packed.scales[0], back);
    CHECK(back == std::vector<float>{7.0F, -7.0F, 2.0F});
}

TEST_CASE("INT3 packs eight codes to three bytes, the earlier in the lower bits")
{
    const std::vector<float> values{3.0F, -3.0F, 2.5F, 0.0F, 1.0F, -1.0F, 0.4F, -2.0F, 3.0F};
    const PackedMatrix packed = pack_matrix(values, 1, 9, LEVEE_TYPE_INT3, "m");
    CHECK(packed.row_bytes == 4);
    CHECK(packed.scales == std::vector<float>{1.0F});
    // The codes 3 -3 2 0 1 -1 0 -2 are 011 101 010 000 001 111 000 110 from the lowest bit on; then
    // 3.
    CHECK(packed.data == std::vector<std::uint8_t>{0xAB, 0x90, 0xC3, 0x03});

    std::vector<float> back(9);
    unpack_row(packed.data, LEVEE_TYPE_INT3, packed.scales[0], back);
    CHECK(back == std::vector<float>{3.0F, -3.0F, 2.0F, 0.0F, 1.0F, -1.0F, 0.0F, -2.0F, 3.0F});
}

TEST_CASE("Scales of least error may clamp the largest weights")
{
    // With scale 1, seven weights of 1.5 have errors of 0.5. With scale 0.8 they have errors of
    // 0.1, and the largest has 0.6.
    std::vector<float> values(8, 1.5F);
    values[0] = 3.0F;
    WeightFormat format(LEVEE_TYPE_INT3);
    CHECK(pack_matrix(values, 1, 8, format, "m").scales == std::vector<float>{1.0F});
    format.scales = ScaleRule::LeastError;
    const PackedMatrix packed = pack_matrix(values, 1, 8, format, "m");
    CHECK(packed.scales == std::vector<float>{0.8F});
    std::vector<float> back(8);
    unpack_row(packed.data, LEVEE_TYPE_INT3, packed.scales[0], back);
    CHECK(back[0] == 3 * 0.8F);
    CHECK(back[7] == 2 * 0.8F);

    // Values that the largest scale represents exactly are kept; zeros stay zeros.
    const std::vector<float> exact{7.0F, -3.0F, 0.0F, 0.0F};
    WeightFormat four(LEVEE_TYPE_INT4);
    four.scales = ScaleRule::LeastError;
    CHECK(pack_matrix(exact, 2, 2, four, "m").scales == std::vector<float>{1.0F, 0.0F});
    CHECK_THROWS_WITH(
        [&] {
            WeightFormat half(LEVEE_TYPE_FP16);
            half.scales = ScaleRule::LeastError;
            check_format(half, "--scales");
        }(),
        "--scales: a rule for scales of weights of type FP16, expected none: only INT3, INT4 and "
        "INT8 have scales");
}

TEST_CASE("With one scale for a tensor, all rows use that of the largest magnitude")
{
    WeightFormat format(LEVEE_TYPE_INT4);
    format.scales = ScaleRule::Tensor;
    const std::vector<float> values{14.0F, -6.0F, 1.0F, 2.0F};
    const PackedMatrix packed = pack_matrix(values, 2, 2, format, "m", 0, 14.0F);
    CHECK(packed.scales == std::vector<float>{2.0F, 2.0F});
    // The codes are 7 and -3; 0.5 becomes 0, and 1 stays.
    CHECK(packed.data == std::vector<std::uint8_t>{0xD7, 0x10});
    CHECK(pack_matrix(values, 2, 2, format, "m").scales == packed.scales);
    format.group = 8;
    CHECK_THROWS_WITH(check_format(format, "--group"),
                      "--group: groups of 8 weights with one scale for each matrix, expected no "
                      "groups");
}

TEST_CASE("Groups of a row have a scale each, the last one of fewer columns")
{
    std::vector<float> values(20, 7.0F);
    for (std::size_t i = 8; i < 16; ++i)
        values[i] = 0.0F;
    values[16] = -0.875F;
    values[17] = values[18] = values[19] = 0.25F;
    const WeightFormat format(LEVEE_TYPE_INT4, 8);
    const PackedMatrix packed = pack_matrix(values, 1, 20, format, "m");
    CHECK(packed.scales == std::vector<float>{1.0F, 0.0F, 0.125F});
    CHECK(packed.data == std::vector<std::uint8_t>{0x77, 0x77, 0x77, 0x77, 0, 0, 0, 0, 0x29, 0x22});
    std::vector<float> back(20);
    unpack_row(packed.data, format, packed.scales, back);
    CHECK(back == values);
}

TEST_CASE("Groups that do not fit the type or size are refused by name")
{
    const std::vector<float> values(8);
    const auto pack = [&](levee_type type, std::uint32_t group) {
        return pack_matrix(values, 1, 8, WeightFormat(type, group), "WQ");
    };
    for (const std::uint32_t group : {1u, 4u, 48u, 100u, 65536u})
        CHECK_THROWS_WITH(pack(LEVEE_TYPE_INT4, group),
                          Catch::Contains("WQ: groups of " + std::to_string(group)) &&
                              Catch::Contains("a power of 2 from 8 to 32768"));
    CHECK_THROWS_WITH(pack(LEVEE_TYPE_FP16, 32), Catch::Contains("FP16, expected none"));
    CHECK(pack(LEVEE_TYPE_INT8, 32768).scales.size() == 1);
}

TEST_CASE("FP16 is the nearest half, ties to even, denormals included")
{
    const std::vector<float> values{1.0F,  1.0F + 0x1p-11F, 1.0F + 0x3p-11F, 65504.0F,
                                    -0.0F, 0x1p-24F,        0x1.8p-24F,      0x1.FFCp-15F};
    const PackedMatrix packed = pack_matrix(values, 1, 8, LEVEE_TYPE_FP16, "m");
    const std::vector<std::uint8_t> expected{0x00, 0x3C, 0x00, 0x3C, 0x02, 0x3C, 0xFF, 0x7B,
                                             0x00, 0x80, 0x01, 0x00, 0x02, 0x00, 0x00, 0x04};
    CHECK(packed.data == expected);
    CHECK(packed.scales.empty());

    std::vector<float> back(8);
    unpack_row(packed.data, LEVEE_TYPE_FP16, 1.0F, back);
    CHECK(back[2] == 1.0F + 0x1p-9F);
    CHECK(back[3] == 65504.0F);
    CHECK(std::signbit(back[4]));
    CHECK(back[5] == 0x1p-24F);
    CHECK(back[7] == 0x1p-14F);
}

TEST_CASE("A row of zeros has scale 0")
{
    const std::vector<float> values(6, 0.0F);
    const PackedMatrix packed = pack_matrix(values, 2, 3, LEVEE_TYPE_INT8, "m");
    CHECK(packed.scales == std::vector<float>{0.0F, 0.0F});
    CHECK(packed.data == std::vector<std::uint8_t>(6, 0));
}

TEST_CASE("Weights that no type can represent are refused with their place")
{
    const std::vector<float> values{1.0F, 2.0F, 3.0F, std::numeric_limits<float>::quiet_NaN()};
    CHECK_THROWS_WITH(pack_matrix(values, 2, 2, LEVEE_TYPE_INT8, "x.bin: tensor WQ"),
                      Catch::StartsWith("x.bin: tensor WQ: row 1, column 1: "));
    const std::vector<float> large{70000.0F};
    CHECK_THROWS_WITH(pack_matrix(large, 1, 1, LEVEE_TYPE_FP16, "m"), Catch::Contains("FP16"));
    CHECK_NOTHROW(pack_matrix(large, 1, 1, LEVEE_TYPE_INT8, "m"));
    CHECK_THROWS_WITH(pack_matrix(large, 1, 2, LEVEE_TYPE_INT8, "m"),
                      "m: 1 values, expected 1 x 2");
    CHECK_THROWS_WITH(pack_matrix(large, 1, 1, LEVEE_TYPE_UINT32, "m"),
                      Catch::Contains("type UINT32, expected INT3"));
}

TEST_CASE("RoPE phases are turns per position")
{
    const auto phases = rope_phases(16, 10000.0);
    REQUIRE(phases.size() == 8);
    CHECK(phases[0] == 683565276U); // 2^32 / 2 pi = 683565275.58
    CHECK(phases[4] == 6835653U);   // This is a hundredth of phases[0].
    CHECK(rope_phases(2, 10000.0) == std::vector<std::uint32_t>{683565276U});
    // The longest permitted context takes no longer than a short one.
    constexpr std::uint32_t longest = 1U << 20;
    for (const std::uint32_t head_dim : {4U, 16U, 80U, 128U, longest}) {
        const auto all = rope_phases(head_dim, 10000.0);
        for (std::uint32_t i = 0; i < all.size(); i += head_dim == longest ? 9973 : 1) {
            const double exact =
                std::pow(10000.0, -2.0 * i / head_dim) / (2.0 * std::numbers::pi) * 4294967296.0;
            CHECK(std::abs(all[i] - exact) <= 0.500001);
        }
    }
}
