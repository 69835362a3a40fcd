// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/families.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::gguf {

/// Returns the number of a head's first elements that are rotated; 0: all.
std::uint32_t read_rotary(const File& file, const std::string& name, std::uint32_t head_dim);

struct Positions {
    std::vector<std::uint32_t> phases;       ///< turns per position, [shape.rotary() / 2]
    std::vector<std::uint32_t> local_phases; ///< phases of local layers; empty: same as the others
    double factor = 1.0;                     ///< factor for rotated values
    double local_factor = 1.0;               ///< factor for rotated values in layers with
                                             ///< local_phases
    std::uint32_t longest = 0;               ///< greatest context for which these are valid; 0: any
    std::string limit;                       ///< the key or tensor that states the limit
};

/// Reads the keys `rope.*` and the tensors of frequencies. For learned positions, the result is
/// empty. Throws ModelError for an unknown kind of scaling.
Positions read_positions(const File& file, const Family& family, const ModelShape& shape);

/// Tensors whose values divide the frequencies of RoPE. The first one is Llama 3's. The second one
/// is for texts of at most rope.scaling.original_context_length tokens. The third one is for longer
/// texts and is not used.
inline constexpr std::array frequency_tensors{"rope_freqs.weight", "rope_factors_short.weight",
                                              "rope_factors_long.weight"};

} // namespace levee::gguf
