// SPDX-License-Identifier: Apache-2.0
// Families of models as tables of properties. A family has facts that no key of a GGUF file states,
// the values that llama.cpp assumes for absent keys, and the optional keys that it reads.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace levee::gguf {

/// How the model applies `logit_scale` to logits.
enum class LogitScale { none, factor, divisor };

struct Family {
    const char* name; ///< general.architecture, which is the prefix of its keys
    levee_norm norm = LEVEE_NORM_RMS;
    NormPlace place = NormPlace::before;
    HeadNorm head_norm = HeadNorm::none;
    /// Which elements of a head form a pair that is rotated together. Some converters permute rows
    /// of Q and K so that pairs are neighbours; others keep the checkpoint's order.
    levee_position position = LEVEE_POSITION_ROPE_HALVES;
    levee_activation activation = LEVEE_ACTIVATION_SILU_GLU;
    bool gains = true;                 ///< the file has gains of norms; otherwise they are 1
    bool norm_biases = true;           ///< the file has biases of layer norms; otherwise they are 0
    bool biases = false;               ///< all matrices have biases; otherwise only those whose
                                       ///< bias is in the file
    bool qkv_biases = false;           ///< Q, K and V have biases; otherwise only if the file has
                                       ///< them
    bool parallel = false;             ///< attention and feed-forward network read the same norm
    bool maybe_parallel = false;       ///< like `parallel` if the file has no second norm
    bool own_norms = false;            ///< like `parallel`, but with separate norms, unless a key
                                       ///< says otherwise
    bool root_embedding = false;       ///< embeddings are multiplied by sqrt(width)
    bool global_unrotated = false;     ///< global layers are not rotated
    bool rotated_alone = false;        ///< global_unrotated applies only if there is a window
    bool local_base = false;           ///< local layers have their own rotation base
    bool local_unscaled = false;       ///< scaling of positions excludes local layers
    std::uint32_t window = 0;          ///< window if no key states one; 0: none
    bool needs_window = false;         ///< the file must state the window
    bool sinks = false;                ///< the tensors of attention sinks are required
    std::uint32_t global_every = 0;    ///< period of global layers; 0: all layers are local if
                                       ///< there is a window
    std::uint32_t unrotated_every = 0; ///< period of unrotated layers; 0: all are rotated
    /// For models with this number of layers, scores are multiplied by the inverse root of
    /// embedding_length / head_count, although no key says so.
    std::uint32_t narrow_layers = 0;
    bool experts = false;         ///< there are experts if the key expert_count exists
    bool among_chosen = false;    ///< weights of experts are normalised over the chosen ones
    bool sigmoid = false;         ///< scores of experts are sigmoids unless a key says otherwise
    bool shared = false;          ///< there may be a shared expert, and layers without experts
    bool latent = false;          ///< keys and values are computed from latent vectors
    bool tempered = false;        ///< queries grow with position beyond the original context
    bool clamped = false;         ///< gates are clamped, with limits that no key states
    bool maybe_head_norm = false; ///< queries and keys have a norm per head if the file contains it
    bool predicts = false;        ///< the last blocks may predict further tokens
    const char* ffn_norm = "ffn_norm.weight"; ///< Norm before the feed-forward network.
    // Keys that only some families have.
    LogitScale logit_scale = LogitScale::none;
    bool scales = false;                     ///< attention.scale, embedding_scale, residual_scale
    bool needs_scales = false;               ///< the last two and logit_scale are required
    bool caps = false;                       ///< attn_logit_softcapping, final_logit_softcapping
    double score_cap = 0.0, logit_cap = 0.0; ///< defaults of these keys
};

/// Returns the family of this name, or null.
const Family* find_family(std::string_view name);

/// Returns the families' names, "llama, ...". `before_last`, such as " or ", replaces the comma
/// before the last name.
std::string architecture_names(const std::string& before_last);

/// Returns the optional keys that this family has.
std::vector<std::string_view> own_keys(const Family& family);

} // namespace levee::gguf
