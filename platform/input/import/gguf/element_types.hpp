// SPDX-License-Identifier: Apache-2.0
// Element types of tensors in GGUF files (enum ggml_type of the specification).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace levee::gguf {

/// A type whose values can be read. Types come in blocks: as many values of a row, in so many
/// bytes.
struct ElementType {
    std::uint32_t id;
    const char* name;
    std::uint32_t block_values;
    std::uint32_t block_bytes;
    std::uint32_t scale_at = 0; ///< of a block of several values: where its FP16 scale is
    /// Values of such a block.
    void (*values)(std::span<const std::uint8_t> block, std::span<float> out) = nullptr;
};

/// F32, F16, BF16, Q8_0, Q6_K or Q4_0; none for any other.
const ElementType* element_type(std::uint32_t id);
/// "Q4_K (12)"; a number that is no type of the specification is "unknown type 77".
std::string element_type_text(std::uint32_t id);

/// Blocks to FP32, products rounded once; `out` has a value for each of the blocks' values:
///   Q8_0  FP16 d, then 32 signed bytes q: value i = q[i] * d
///   Q4_0  FP16 d, then 16 bytes b: value i = ((b[i] & 15) - 8) * d,
///         value i + 16 = ((b[i] >> 4) - 8) * d
///   Q6_K  128 bytes l, 64 bytes h, 16 signed bytes s, then FP16 d. Each half of the block has 64
///         of l and 32 of h; code i + 32 k of it, for i below 32, has as its low four bits a nibble
///         of l[i + 32 (k & 1)], the high one for k of 2 and 3, and as its high two bits those of
///         h[i] from bit 2 k on: value = (code - 32) * d * s of its 16 values
///   F32, F16, BF16  values, a block each
void to_fp32(const ElementType& type, std::span<const std::uint8_t> blocks, std::span<float> out);

} // namespace levee::gguf
