// SPDX-License-Identifier: Apache-2.0
// Element types of tensors in GGUF files (enum ggml_type of the specification).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace levee::gguf {

/// An element type that this program can read. A row is stored in blocks. Each block has a fixed
/// number of values in a fixed number of bytes.
struct ElementType {
    std::uint32_t id;
    const char* name;
    std::uint32_t block_values;
    std::uint32_t block_bytes;
    /// decodes a block that has several values
    void (*values)(std::span<const std::uint8_t> block, std::span<float> out) = nullptr;
};

/// Returns the readable type with this number, or null.
const ElementType* element_type(std::uint32_t id);
/// Returns a text such as "Q4_K (12)", or "unknown type 77" for a number outside the specification.
std::string element_type_text(std::uint32_t id);

/// Returns the names of all readable types: "F32, F16, ...". `before_last`, such as " or ",
/// replaces the comma before the last name.
std::string readable_types(const std::string& before_last);

/// Decodes blocks to FP32; `out` must have space for all of their values. A block of F32, F16 or
/// BF16 is a single value. block_values.hpp decodes the other types.
void to_fp32(const ElementType& type, std::span<const std::uint8_t> blocks, std::span<float> out);

} // namespace levee::gguf
