// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/optional_keys.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace levee::hf {

struct RopeDefaults {
    std::uint32_t rotated;     ///< elements of a head
    std::uint32_t max_context; ///< tokens
    double theta;              ///< Base if config.json does not give one.
    const char* theta_key = "rope_theta";
};

struct Rope {
    std::vector<std::uint32_t> phases; ///< turns per position in units of 2^-32, [rotated / 2]
    double factor = 1.0;               ///< Factor of rotated values.
    std::uint32_t longest = 0;         ///< tokens for which this is so; 0: all
    double score_magnitude = 1.0;      ///< Factor of scores, as in DeepSeek's mscale_all_dim.
    const char* limit = "";            ///< the key by which longer texts differ
    double theta = 0.0;                ///< the base
};

/// Reads rope_theta and rope_scaling (or rope_parameters) of a config.json: none, linear, llama3,
/// yarn (Peng et al., YaRN) or longrope (Ding et al., LongRoPE), computed as in transformers.
/// Throws ModelError with the name of any other kind.
Rope read_rope(const JsonView& config, const RopeDefaults& defaults, OptionalKeys& optional);

/// Whether rope_scaling or rope_parameters may have a key, and its effect is known.
bool is_scaling_key(std::string_view key);

/// Whether a config.json scales positions, of layers that attend to all tokens.
bool scales_positions(const JsonView& config);

/// Rotation by the same base without scaling.
Rope unscaled_rope(const Rope& rope, const RopeDefaults& defaults);

/// The same for layers with local attention: by the base that a top-level key gives, without
/// scaling, or by their entry in rope_parameters. theta_key: may be null.
Rope read_local_rope(const JsonView& config, const char* theta_key, const RopeDefaults& defaults,
                     OptionalKeys& optional);

/// Key of rope_parameters if both kinds of layers have their own.
inline constexpr const char* local_layers_key = "sliding_attention";

} // namespace levee::hf
