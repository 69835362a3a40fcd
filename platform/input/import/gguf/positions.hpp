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

/// Elements of a head that are rotated, the first; 0: all.
std::uint32_t read_rotary(const File& file, const std::string& name, std::uint32_t head_dim);

struct Positions {
    std::vector<std::uint32_t> phases;       ///< turns per position, [shape.rotary() / 2]
    std::vector<std::uint32_t> local_phases; ///< Phases of local layers; empty: same as the others.
    double factor = 1.0;                     ///< Factor of rotated values.
    double local_factor = 1.0;               ///< likewise, by local_phases
    std::uint32_t longest = 0;               ///< tokens for which this is so; 0: all
    std::string limit;                       ///< the key or tensor that states the limit
};

/// Reads the keys `rope.*` and the tensors of frequencies; returns nothing for learned positions.
/// Throws ModelError for an unknown kind of scaling.
Positions read_positions(const File& file, const Family& family, const ModelShape& shape);

/// Tensors of divisors for the frequencies: that of Llama 3, and that for texts up to
/// rope.scaling.original_context_length. The tensor for longer texts is not used.
inline constexpr std::array frequency_tensors{"rope_freqs.weight", "rope_factors_short.weight",
                                              "rope_factors_long.weight"};

} // namespace levee::gguf
