// SPDX-License-Identifier: Apache-2.0
// Decodes blocks of GGUF's element types, by the public definition of each type. Every value is the
// exact result of the definition's formula, rounded to FP32 once. All products before this rounding
// are exact, since FP16 scales have 11 bits, and the whole numbers with which they are multiplied
// have at most 13. If a scale is not finite, every value of its block is infinite or not a number.
#pragma once

#include <cstdint>
#include <span>

namespace levee::gguf {

using Block = std::span<const std::uint8_t>;

// Blocks of 32 values.
void q4_0_block(Block block, std::span<float> out);
void q4_1_block(Block block, std::span<float> out);
void q5_0_block(Block block, std::span<float> out);
void q5_1_block(Block block, std::span<float> out);
void q8_0_block(Block block, std::span<float> out);
void iq4_nl_block(Block block, std::span<float> out);
void mxfp4_block(Block block, std::span<float> out);

// Blocks of 256 values.
void q2_k_block(Block block, std::span<float> out);
void q3_k_block(Block block, std::span<float> out);
void q4_k_block(Block block, std::span<float> out);
void q5_k_block(Block block, std::span<float> out);
void q6_k_block(Block block, std::span<float> out);
void iq4_xs_block(Block block, std::span<float> out);
void tq1_0_block(Block block, std::span<float> out);
void tq2_0_block(Block block, std::span<float> out);

} // namespace levee::gguf
