// SPDX-License-Identifier: Apache-2.0
// Kinds of model files, by their first bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace levee {

/// Largest number of bytes at the beginning of a file that identify its kind.
inline constexpr std::size_t kind_bytes = 16;

/// Kind of a file that begins with these bytes, and the command that reads it: "a GGUF file (of
/// llama.cpp); see `levee import gguf`". Empty if it is not a common kind of model file.
[[nodiscard]] std::string_view kind_of_file(std::span<const std::uint8_t> begin);

} // namespace levee
