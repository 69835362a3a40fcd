// SPDX-License-Identifier: Apache-2.0
// Files of models by how they begin.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace levee {

/// Bytes at the beginning of a file that tell its kind, at most.
inline constexpr std::size_t kind_bytes = 16;

/// What a file is that begins with these bytes, and which command reads it: "a GGUF file (of
/// llama.cpp); see `levee import gguf`". Empty if it is of none of the kinds that people have
/// models in.
[[nodiscard]] std::string_view kind_of_file(std::span<const std::uint8_t> begin);

} // namespace levee
