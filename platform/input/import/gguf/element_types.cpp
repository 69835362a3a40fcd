// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/element_types.hpp"

#include "platform/input/import/stored_values.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace levee::gguf {

namespace {

/// Types that are only named, for messages.
constexpr std::array<std::pair<std::uint32_t, const char*>, 30> named{
    {{3, "Q4_1"},      {6, "Q5_0"},     {7, "Q5_1"},   {9, "Q8_1"},        {10, "Q2_K"},
     {11, "Q3_K"},     {12, "Q4_K"},    {13, "Q5_K"},  {15, "Q8_K"},       {16, "IQ2_XXS"},
     {17, "IQ2_XS"},   {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"},     {21, "IQ3_S"},
     {22, "IQ2_S"},    {23, "IQ4_XS"},  {24, "I8"},    {25, "I16"},        {26, "I32"},
     {27, "I64"},      {28, "F64"},     {29, "IQ1_M"}, {31, "Q4_0_4_4"},   {32, "Q4_0_4_8"},
     {33, "Q4_0_8_8"}, {34, "TQ1_0"},   {35, "TQ2_0"}, {36, "IQ4_NL_4_4"}, {39, "MXFP4"}}};

/// The factor that a block begins with.
float factor_of(std::span<const std::uint8_t> block)
{
    return half_value(block.data(), HalfType::FP16);
}

void q8_0_block(std::span<const std::uint8_t> block, std::span<float> out)
{
    const float d = factor_of(block);
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * d;
    }
}

void q4_0_block(std::span<const std::uint8_t> block, std::span<float> out)
{
    const float d = factor_of(block);
    const size_t half = out.size() / 2;
    for (size_t i = 0; i < half; ++i) {
        out[i] = static_cast<float>((block[2 + i] & 0x0F) - 8) * d;
        out[i + half] = static_cast<float>((block[2 + i] >> 4) - 8) * d;
    }
}

/// 16 bytes of 16 scales stand behind the codes.
void q6_k_block(std::span<const std::uint8_t> block, std::span<float> out)
{
    constexpr size_t low_bytes = 128, high_bytes = 64, scales = 16, part = 32;
    const size_t half = out.size() / 2;
    const float d = factor_of(block.subspan(low_bytes + high_bytes + scales));
    for (size_t i = 0; i < out.size(); ++i) {
        const size_t of_half = i / half, at = i % part, k = i % half / part;
        const unsigned low = block[of_half * low_bytes / 2 + at + part * (k % 2)];
        const unsigned high = block[low_bytes + of_half * high_bytes / 2 + at];
        const unsigned code = (low >> (k / 2 * 4) & 0x0FU) | (high >> (2 * k) & 3U) << 4U;
        const auto scale =
            static_cast<std::int8_t>(block[low_bytes + high_bytes + i / (out.size() / scales)]);
        out[i] = d * static_cast<float>(scale) * static_cast<float>(static_cast<int>(code) - 32);
    }
}

constexpr std::array readable{ElementType{0, "F32", 1, 4},
                              ElementType{1, "F16", 1, 2},
                              ElementType{30, "BF16", 1, 2},
                              ElementType{8, "Q8_0", 32, 34, 0, q8_0_block},
                              ElementType{14, "Q6_K", 256, 210, 208, q6_k_block},
                              ElementType{2, "Q4_0", 32, 18, 0, q4_0_block}};

void half_values(const ElementType& type, std::span<const std::uint8_t> blocks,
                 std::span<float> out)
{
    const auto half = std::string_view(type.name) == "BF16" ? HalfType::BF16 : HalfType::FP16;
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = half_value(&blocks[2 * i], half);
    }
}

} // namespace

const ElementType* element_type(std::uint32_t id)
{
    for (const ElementType& type : readable) {
        if (type.id == id) {
            return &type;
        }
    }
    return nullptr;
}

std::string element_type_text(std::uint32_t id)
{
    const ElementType* type = element_type(id);
    const char* name = type != nullptr ? type->name : nullptr;
    for (const auto& [number, text] : named) {
        name = number == id ? text : name;
    }
    return name != nullptr ? name + (" (" + std::to_string(id)) + ")"
                           : "unknown type " + std::to_string(id);
}

void to_fp32(const ElementType& type, std::span<const std::uint8_t> blocks, std::span<float> out)
{
    if (type.block_values == 1 && type.block_bytes == sizeof(float)) {
        std::memcpy(out.data(), blocks.data(), out.size_bytes());
        return;
    }
    if (type.block_values == 1) {
        half_values(type, blocks, out);
        return;
    }
    for (size_t i = 0; i < out.size() / type.block_values; ++i) {
        type.values(blocks.subspan(i * type.block_bytes, type.block_bytes),
                    out.subspan(i * type.block_values, type.block_values));
    }
}

} // namespace levee::gguf
