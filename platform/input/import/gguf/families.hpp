// SPDX-License-Identifier: Apache-2.0
// Families of models as properties: facts that no key of a GGUF file says, the values that
// llama.cpp takes for absent keys, and the optional keys that a family reads.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace levee::gguf {

/// The effect of `logit_scale` on logits.
enum class LogitScale { none, factor, divisor };

struct Family {
    const char* name; ///< general.architecture; its keys begin with it
    levee_norm norm = LEVEE_NORM_RMS;
    NormPlace place = NormPlace::before;
    HeadNorm head_norm = HeadNorm::none;
    /// Position of the values of a head that are rotated together. Some converters permute rows of
    /// Q and K so that they are neighbours; others keep the checkpoint's order.
    levee_position position = LEVEE_POSITION_ROPE_HALVES;
    levee_activation activation = LEVEE_ACTIVATION_SILU_GLU;
    bool gains = true;                 ///< The file has gains of norms; otherwise they are 1.
    bool norm_biases = true;           ///< The file has biases of layer norms; otherwise they are
                                       ///< 0.
    bool biases = false;               ///< All matrices always have biases; otherwise only those
                                       ///< for which the file has some.
    bool qkv_biases = false;           ///< Q, K and V always have biases; otherwise only if the
                                       ///< file has some.
    bool parallel = false;             ///< both halves of a layer read one norm
    bool maybe_parallel = false;       ///< the same, if the file has no second norm
    bool own_norms = false;            ///< Halves that a key marks as parallel have separate norms.
    bool root_embedding = false;       ///< embeddings are multiplied by the root of their width
    bool global_unrotated = false;     ///< layers that are global are not rotated
    bool rotated_alone = false;        ///< Only layers without a window are rotated.
    bool local_base = false;           ///< Local layers are rotated with their own base.
    bool local_unscaled = false;       ///< positions of local layers are not scaled
    std::uint32_t window = 0;          ///< 0: none
    bool needs_window = false;         ///< The key of the window is required.
    bool sinks = false;                ///< The tensors of sinks are required.
    std::uint32_t global_every = 0;    ///< 0: all layers are local if there is a window.
    std::uint32_t unrotated_every = 0; ///< 0: all are rotated
    /// Models with this number of layers scale scores by the inverse root of embedding_length /
    /// head_count, which no key states.
    std::uint32_t narrow_layers = 0;
    bool experts = false;      ///< there may be some, by expert_count
    bool among_chosen = false; ///< Weights of experts are normalised over the chosen ones.
    bool sigmoid = false;      ///< Scores of experts are sigmoids unless a key says otherwise.
    bool shared = false; ///< there may be an expert that all tokens use, and layers without experts
    bool latent = false; ///< keys and values are made of latent vectors
    bool tempered = false; ///< queries grow beyond the context before positions were scaled
    bool clamped = false;  ///< the values of gates are clamped, with limits that no key states
    bool maybe_head_norm = false; ///< Queries and keys may have norms by head; the file decides.
    bool predicts = false;        ///< blocks that predict further tokens may come last
    const char* ffn_norm = "ffn_norm.weight"; ///< Norm before the feed-forward network.
    // Keys that only some families have.
    LogitScale logit_scale = LogitScale::none;
    bool scales = false;                     ///< attention.scale, embedding_scale, residual_scale
    bool needs_scales = false;               ///< the last two and logit_scale must be there
    bool caps = false;                       ///< attn_logit_softcapping, final_logit_softcapping
    double score_cap = 0.0, logit_cap = 0.0; ///< without them
};

/// Null: none.
const Family* find_family(std::string_view name);

/// "llama, ...", with `before_last` before the last.
std::string architecture_names(const std::string& before_last);

/// The optional keys that this family has.
std::vector<std::string_view> own_keys(const Family& family);

} // namespace levee::gguf
