// SPDX-License-Identifier: Apache-2.0
// Checks values of GGUF's element types, derived by hand.
#include "platform/input/import/gguf/element_types.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

using namespace levee::gguf;

namespace {

std::vector<float> values(std::uint32_t type, const std::vector<std::uint8_t>& bytes, size_t count)
{
    std::vector<float> out(count);
    to_fp32(*element_type(type), bytes, out);
    return out;
}

} // namespace

TEST_CASE("Q8_0: 32 signed bytes times an FP16 scale")
{
    // d = 0x3400 = 0.25.
    std::vector<std::uint8_t> block{0x00, 0x34};
    for (int i = 0; i < 32; ++i)
        block.push_back(static_cast<std::uint8_t>(i == 0 ? 127 : i == 1 ? -128 : i == 31 ? -1 : i));
    // The second block has d = 0xC500 = -5.
    block.insert(block.end(), {0x00, 0xC5});
    block.insert(block.end(), 32, 2);
    const auto out = values(8, block, 64);
    CHECK(out[0] == 31.75F);
    CHECK(out[1] == -32.0F);
    CHECK(out[2] == 0.5F);
    CHECK(out[30] == 7.5F);
    CHECK(out[31] == -0.25F);
    CHECK(out[32] == -10.0F);
    CHECK(out[63] == -10.0F);
}

TEST_CASE("Q4_0: the low nibbles are the first sixteen values, the high nibbles the others")
{
    // d = 0xB800 = -0.5. The low nibble of byte i is code i, the high nibble is 15 - i.
    std::vector<std::uint8_t> block{0x00, 0xB8};
    for (unsigned i = 0; i < 16; ++i)
        block.push_back(static_cast<std::uint8_t>(i | (15 - i) << 4));
    const auto out = values(2, block, 32);
    CHECK(out[0] == 4.0F); // The value is (0 - 8) * -0.5.
    CHECK(out[8] == 0.0F);
    CHECK(out[15] == -3.5F);
    CHECK(out[16] == -3.5F); // The value is (15 - 8) * -0.5.
    CHECK(out[17] == -3.0F);
    CHECK(out[31] == 4.0F);
}

TEST_CASE("Q6_K: nibbles and pairs of bits, a scale for each 16 values, and one for all")
{
    std::vector<std::uint8_t> block(210, 0);
    block[0] = 0x2F;            // These are values 0 (15) and 64 (2).
    block[32 + 31] = 0x84;      // These are values 63 (4) and 127 (8).
    block[64 + 1] = 0x01;       // These are codes of the second half: values 129 (1) and 193 (0).
    block[128] = 0b11'10'01'00; // These bits belong to values 0, 32, 64 and 96.
    block[128 + 31] = 0b01'00'11'00;
    block[128 + 32 + 1] = 0b00'11'00'10; // These bits are for the second half.
    for (unsigned i = 0; i < 16; ++i)
        block[192 + i] = static_cast<std::uint8_t>(i + 1);
    block[192 + 3] = static_cast<std::uint8_t>(-2); // This is the scale of values 48 to 63.
    block[208] = 0x00;
    block[209] = 0x38; // This is the high byte of d = 0.5.
    const auto out = values(14, block, 256);
    CHECK(out[0] == (15 + 0 - 32) * 0.5F);
    CHECK(out[32] == (0 + 16 - 32) * 0.5F * 3);
    CHECK(out[64] == (2 + 32 - 32) * 0.5F * 5);
    CHECK(out[96] == (0 + 48 - 32) * 0.5F * 7);
    CHECK(out[63] == (4 + 48 - 32) * 0.5F * -2);
    CHECK(out[127] == (8 + 16 - 32) * 0.5F * 8);
    CHECK(out[129] == (1 + 32 - 32) * 0.5F * 9);
    CHECK(out[193] == (0 + 48 - 32) * 0.5F * 13);
    CHECK(out[255] == -32 * 0.5F * 16);
}

TEST_CASE("F32, F16 and BF16 are values")
{
    CHECK(values(0, {0x00, 0x00, 0xC0, 0x3F, 0x01, 0x00, 0x00, 0x80}, 2) ==
          std::vector<float>{1.5F, -0x1p-149F});
    CHECK(values(1, {0x00, 0x3E, 0x01, 0x80, 0xFF, 0x7B}, 3) ==
          std::vector<float>{1.5F, -0x1p-24F, 65504.0F});
    CHECK(values(30, {0xC0, 0x3F, 0x80, 0xC1, 0x01, 0x00}, 3) ==
          std::vector<float>{1.5F, -16.0F, 0x1p-133F});
    CHECK(std::isnan(values(30, {0xC0, 0x7F}, 1)[0]));
}

TEST_CASE("MXFP4: FP4 codes times a power of two, whose largest exponent means NaN")
{
    // The first byte is the exponent. Then the low nibble of byte i is code i, the high nibble is
    // 15 - i.
    std::vector<std::uint8_t> block{128};
    for (unsigned i = 0; i < 16; ++i)
        block.push_back(static_cast<std::uint8_t>(i | (15 - i) << 4));
    const std::vector<float> fp4{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    auto out = values(39, block, 32);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(out[i] == 2 * fp4[i]);
        CHECK(out[8 + i] == -2 * fp4[i]);
        CHECK(out[31 - i] == 2 * fp4[i]);
    }
    block[0] = 0;
    CHECK(values(39, block, 32)[1] == 0x1p-128F);
    block[0] = 254;
    CHECK(values(39, block, 32)[2] == 0x1p127F);
    block[0] = 255;
    CHECK(std::isnan(values(39, block, 32)[0]));
}

namespace {

struct Drawn {
    std::uint32_t type;
    std::vector<std::size_t> scales; ///< Positions of the block's FP16 scales.
    std::uint64_t checksum;          ///< FNV-1a of the bytes of all values.
};

/// Draws 64 blocks by a linear congruential generator. FP16 scales are below 2, exponents of MXFP4
/// below 128.
std::vector<std::uint8_t> drawn_blocks(const Drawn& drawn, std::size_t bytes)
{
    std::uint64_t state = drawn.type;
    std::vector<std::uint8_t> blocks(64 * bytes);
    for (std::uint8_t& byte : blocks) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        byte = static_cast<std::uint8_t>(state >> 56);
    }
    for (std::size_t at = 0; at < blocks.size(); at += bytes) {
        for (const std::size_t scale : drawn.scales)
            blocks[at + scale + 1] &= 0xBFU;
        if (drawn.type == 39)
            blocks[at] &= 0x7FU;
    }
    return blocks;
}

std::uint64_t checksum(const std::vector<float>& values)
{
    std::uint64_t sum = 0xCBF29CE484222325U;
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value);
        for (int byte = 0; byte < 4; ++byte)
            sum = (sum ^ (bits >> 8 * byte & 0xFFU)) * 0x100000001B3U;
    }
    return sum;
}

} // namespace

TEST_CASE("Random blocks of each type have the values of llama.cpp's library")
{
    // Checksums of the values that dequantize_row_* of llama.cpp's libggml returns for the same
    // bytes (bindings of November 2026). Both zeros count as 0.
    const std::vector<Drawn> types{
        {2, {0}, 0xFDDE42EBADB8C395U},     {3, {0, 2}, 0x5304F06615C1B51DU},
        {6, {0}, 0xED5087BAA4DD6BEDU},     {7, {0, 2}, 0x071BBE2880A932BEU},
        {8, {0}, 0xAAAF2ED6C87BF97DU},     {10, {80, 82}, 0x5170B0F66AE7013CU},
        {11, {108}, 0x0ECEB277A95F6554U},  {12, {0, 2}, 0x016B5D7CA3A0E035U},
        {13, {0, 2}, 0xEF5316B6153E1F43U}, {14, {208}, 0xC148AA0ACE6C13E8U},
        {20, {0}, 0xBA95123B806F0B64U},    {23, {0}, 0x07FE8765FB302FF6U},
        {34, {52}, 0xC21BC117C496A5D7U},   {35, {64}, 0xFD59DADFDF26BF82U},
        {39, {}, 0xFAD850EB1E1D1F31U}};
    for (const Drawn& drawn : types) {
        const ElementType& type = *element_type(drawn.type);
        INFO(type.name);
        const auto blocks = drawn_blocks(drawn, type.block_bytes);
        CHECK(checksum(values(drawn.type, blocks, std::size_t{64} * type.block_values)) ==
              drawn.checksum);
    }
}

TEST_CASE("Element types that cannot be read are named")
{
    CHECK(element_type(16) == nullptr);
    CHECK(element_type_text(16) == "IQ2_XXS (16)");
    CHECK(element_type_text(8) == "Q8_0 (8)");
    CHECK(element_type_text(77) == "unknown type 77");
}
