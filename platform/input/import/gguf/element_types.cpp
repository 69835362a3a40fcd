// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/element_types.hpp"

#include "platform/input/import/gguf/block_values.hpp"
#include "platform/input/import/stored_values.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace levee::gguf {

namespace {

/// Types that this program cannot read, with their names for messages.
constexpr std::array<std::pair<std::uint32_t, const char*>, 23> named{
    {{9, "Q8_1"},      {15, "Q8_K"},     {16, "IQ2_XXS"},    {17, "IQ2_XS"},     {18, "IQ3_XXS"},
     {19, "IQ1_S"},    {21, "IQ3_S"},    {22, "IQ2_S"},      {24, "I8"},         {25, "I16"},
     {26, "I32"},      {27, "I64"},      {28, "F64"},        {29, "IQ1_M"},      {31, "Q4_0_4_4"},
     {32, "Q4_0_4_8"}, {33, "Q4_0_8_8"}, {36, "IQ4_NL_4_4"}, {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"},
     {40, "NVFP4"},    {41, "Q1_0"},     {42, "Q2_0"}}};

constexpr std::array readable{ElementType{0, "F32", 1, 4},
                              ElementType{1, "F16", 1, 2},
                              ElementType{30, "BF16", 1, 2},
                              ElementType{8, "Q8_0", 32, 34, q8_0_block},
                              ElementType{14, "Q6_K", 256, 210, q6_k_block},
                              ElementType{13, "Q5_K", 256, 176, q5_k_block},
                              ElementType{12, "Q4_K", 256, 144, q4_k_block},
                              ElementType{11, "Q3_K", 256, 110, q3_k_block},
                              ElementType{10, "Q2_K", 256, 84, q2_k_block},
                              ElementType{7, "Q5_1", 32, 24, q5_1_block},
                              ElementType{6, "Q5_0", 32, 22, q5_0_block},
                              ElementType{3, "Q4_1", 32, 20, q4_1_block},
                              ElementType{2, "Q4_0", 32, 18, q4_0_block},
                              ElementType{20, "IQ4_NL", 32, 18, iq4_nl_block},
                              ElementType{23, "IQ4_XS", 256, 136, iq4_xs_block},
                              ElementType{39, "MXFP4", 32, 17, mxfp4_block},
                              ElementType{35, "TQ2_0", 256, 66, tq2_0_block},
                              ElementType{34, "TQ1_0", 256, 54, tq1_0_block}};

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

std::string readable_types(const std::string& before_last)
{
    std::string text;
    for (const ElementType& type : readable) {
        const bool is_last = &type == &readable.back();
        text += (text.empty() ? "" : is_last ? before_last : ", ") + std::string(type.name);
    }
    return text;
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
