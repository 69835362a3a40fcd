// SPDX-License-Identifier: Apache-2.0
// Element types of tensors in GGUF files (enum ggml_type of the specification).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace levee::gguf {

/// An element type whose values can be read. Types come in blocks: a number of values of a row in a
/// number of bytes.
struct ElementType {
    std::uint32_t id;
    const char* name;
    std::uint32_t block_values;
    std::uint32_t block_bytes;
    /// Values of a block of several.
    void (*values)(std::span<const std::uint8_t> block, std::span<float> out) = nullptr;
};

/// A type that can be read; none for any other.
const ElementType* element_type(std::uint32_t id);
/// "Q4_K (12)"; a number that is no type of the specification is "unknown type 77".
std::string element_type_text(std::uint32_t id);

/// The names of all types that can be read: "F32, F16, ..." with `before_last` before the last.
std::string readable_types(const std::string& before_last);

/// Blocks to FP32; `out` has a value for each of the blocks' values. F32, F16 and BF16 are values,
/// a block each; block_values.hpp has the others.
void to_fp32(const ElementType& type, std::span<const std::uint8_t> blocks, std::span<float> out);

} // namespace levee::gguf
