// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::gguf {

/// Turns per position of a model's heads, [head_dim / 2], by the keys `rope.*` and the tensor
/// rope_freqs.weight; none for learned positions. Throws ModelError for a kind of scaling that
/// there is none of.
std::vector<std::uint32_t> read_phases(const File& file, const std::string& name,
                                       const ModelShape& shape, std::vector<std::string>& notes);

/// Llama 3's scaling: what each frequency is divided by.
inline constexpr const char* frequency_tensor = "rope_freqs.weight";

} // namespace levee::gguf
