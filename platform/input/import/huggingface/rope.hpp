// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/optional_keys.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace levee::hf {

struct RopeDefaults {
    std::uint32_t rotated;     ///< number of a head's rotated elements
    std::uint32_t max_context; ///< tokens
    double theta;              ///< the base if config.json gives none
    const char* theta_key = "rope_theta";
};

struct Rope {
    std::vector<std::uint32_t> phases; ///< turns per position in units of 2^-32, [rotated / 2]
    double factor = 1.0;               ///< factor for rotated values
    std::uint32_t longest = 0;         ///< greatest context for which the phases are valid; 0: any
    double score_magnitude = 1.0;      ///< factor for scores, such as DeepSeek's mscale_all_dim
    const char* limit = "";            ///< the key that makes longer texts different
    double theta = 0.0;                ///< the base
};

/// Reads rope_theta and rope_scaling (or rope_parameters) of a config.json. Supported scalings are
/// none, linear, llama3, yarn (Peng et al., YaRN) and longrope (Ding et al., LongRoPE), computed in
/// the same way as in transformers. A dynamic scaling has no effect here. Throws ModelError with
/// the name of any other scaling.
Rope read_rope(const JsonView& config, const RopeDefaults& defaults, OptionalKeys& optional);

/// Returns whether this is a key of rope_scaling or rope_parameters with a known effect.
bool is_scaling_key(std::string_view key);

/// Returns whether a config.json scales positions in the layers that attend to all tokens.
bool scales_positions(const JsonView& config);

/// Returns `rope` without its scaling.
Rope unscaled_rope(const Rope& rope, const RopeDefaults& defaults);

/// Reads the rotation of layers with local attention. Either a top-level key has their base, and
/// there is no scaling, or the layers have their own entry in rope_parameters. theta_key may be
/// null.
Rope read_local_rope(const JsonView& config, const char* theta_key, const RopeDefaults& defaults,
                     OptionalKeys& optional);

/// Key in rope_parameters for local layers, if both kinds of layers have their own entries.
inline constexpr const char* local_layers_key = "sliding_attention";

} // namespace levee::hf
