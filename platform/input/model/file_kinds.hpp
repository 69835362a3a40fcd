// SPDX-License-Identifier: Apache-2.0
// Recognizes kinds of model files by their first bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace levee {

/// Number of first bytes that suffice to recognize any kind of file.
inline constexpr std::size_t kind_bytes = 16;

/// Returns the kind of a file that begins with these bytes, and the command that reads it, such as
/// "a GGUF file (of llama.cpp); see `levee import gguf`". Empty for an unknown kind.
[[nodiscard]] std::string_view kind_of_file(std::span<const std::uint8_t> begin);

} // namespace levee
