// SPDX-License-Identifier: Apache-2.0
// The shape of a language model, and the tensors that an image of that shape must have.
#pragma once

#include "core/abi/descriptor.h"
#include "core/abi/model_image.h"
#include "core/numerics/tensor.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee {

/// Thrown for any error in an image, checkpoint, tokenizer or text. The message names the file or
/// tensor, the field, the value found and the expectation.
class ModelError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How scales are chosen when floats are quantised to codes.
enum class ScaleRule {
    Largest,    ///< the largest magnitude that shares a scale becomes the largest code
    LeastError, ///< the scale with the least squared error among 21 multiples of the largest one,
                ///< from 1 down to 0.5
    Tensor      ///< each matrix of a layer has one scale, by its largest magnitude; other matrices
                ///< as under `Largest`
};

struct WeightFormat {
    levee_type type = LEVEE_TYPE_INT8;
    /// Number of columns that share a scale, with fewer in a row's last group; 0: the whole row
    /// shares one.
    std::uint32_t group = 0;
    ScaleRule scales = ScaleRule::Largest; ///< not stored in an image, whose codes already have
                                           ///< scales

    WeightFormat() = default;
    WeightFormat(levee_type its_type, std::uint32_t its_group = 0)
        : type(its_type), group(its_group)
    {
    }
    bool operator==(const WeightFormat&) const = default;

    [[nodiscard]] bool has_scales() const { return is_weight_code(type); }
    /// Returns the number of scales in a row of `cols` columns; 0 for types without scales.
    [[nodiscard]] std::uint32_t scales_of_row(std::uint32_t cols) const
    {
        return !has_scales() ? 0 : group == 0 ? 1 : (cols + group - 1) / group;
    }
};

/// "INT4", "INT4 in groups of 128".
std::string format_name(const WeightFormat& format);

/// Throws ModelError ("<place>: ...") for a type that matrices cannot have, for groups of a type
/// without scales, and for a group size that is not a power of 2 from LEVEE_MODEL_MIN_GROUP to
/// LEVEE_MODEL_MAX_GROUP.
void check_format(const WeightFormat& format, const std::string& place);

/// Where a layer has norms: on the inputs of attention and feed-forward network, on their outputs,
/// or on both.
enum class NormPlace { before, after, both };

/// Which RMS norms are applied to queries and keys before rotation: none; a norm of each head, with
/// one gain for all heads; or a norm of all heads together.
enum class HeadNorm { none, head, all };

struct ModelShape {
    std::uint32_t dim = 0;    ///< width of the residual stream
    std::uint32_t hidden = 0; ///< width of the feed-forward network
    std::uint32_t layers = 0;
    std::uint32_t heads = 0;
    std::uint32_t kv_heads = 0; ///< a divisor of heads
    std::uint32_t head_dim = 0; ///< even
    std::uint32_t vocab = 0;
    std::uint32_t max_context = 0; ///< tokens
    levee_norm norm = LEVEE_NORM_RMS;
    levee_activation activation = LEVEE_ACTIVATION_SILU_GLU;
    levee_position position = LEVEE_POSITION_ROPE_PAIRS;
    float norm_epsilon = 1e-5F;
    bool tied = true;              ///< the embedding serves as classifier
    bool biases = false;           ///< biases on all six matrices of a layer; not with a gated
                                   ///< network
    bool qkv_biases = false;       ///< biases on WQ, WK and WV only
    bool attention_biases = false; ///< biases on WQ, WK, WV and WO
    NormPlace norm_place = NormPlace::before;
    HeadNorm head_norm = HeadNorm::none;
    bool parallel = false;        ///< attention and network read one norm; requires
                                  ///< NormPlace::before
    std::uint32_t rotary_dim = 0; ///< number (even) of a head's first elements that are rotated; 0:
                                  ///< all
    std::uint32_t window = 0;     ///< window of local layers in tokens; 0: no layer is
                                  ///< local
    float score_cap = 0.0F;       ///< cap c of scores: s becomes c tanh(s / c); 0: none
    float logit_cap = 0.0F;       ///< cap of logits; 0: none
    std::uint32_t experts = 0;    ///< experts of a layer, each with the width `hidden`; 0: one
                                  ///< network without experts
    std::uint32_t chosen = 0;     ///< experts that each token uses
    bool among_chosen = false;    ///< weights of experts are normalised over the chosen ones,
                                  ///< otherwise over all
    bool sigmoid = false;         ///< scores are sigmoids of the router's results, otherwise their
                                  ///< softmax
    bool router_bias = false;     ///< a bias is added to the router's results
    bool choice_bias = false;     ///< a bias is added to scores to choose experts, but not to
                                  ///< weight them
    bool expert_biases = false;   ///< biases on the matrices of experts
    std::uint32_t shared_hidden = 0; ///< width of the shared expert, which all tokens use; 0: none
    bool shared_gate = false;        ///< a sigmoid gate multiplies the shared expert's result
    std::uint32_t dense_hidden = 0;  ///< width of layers without experts; 0: there are none
    bool sinks = false;              ///< each head's softmax has an additional logit of no token
    float glu_limit = 0.0F, glu_alpha = 0.0F; ///< parameters of CLAMPED_GLU
    bool local_phases = false;                ///< local layers have their own rotation phases
    /// Width of the latent vectors of latent attention (model_image.h). A token then has one key
    /// vector for all heads. The key has rotary_dim rotated elements and kv_latent other elements,
    /// which are also the value. 0: each head has its own keys and values.
    std::uint32_t kv_latent = 0;
    std::uint32_t query_latent = 0; ///< width of the latent vector of queries; 0: queries are
                                    ///< computed from the token's vector
    std::uint32_t nope_dim = 0;     ///< elements of a head's query that are not rotated
    std::uint32_t value_dim = 0;    ///< elements of a head's result
    /// enum levee_layer_flag of each layer. Empty: all are 0.
    std::vector<std::uint32_t> layer_flags;

    bool gated() const { return levee_is_gated(activation) != 0; }
    bool rotated() const { return position != LEVEE_POSITION_LEARNED; }
    /// Returns how many elements of a head are rotated, in layers that rotate.
    std::uint32_t rotary() const { return rotary_dim == 0 ? head_dim : rotary_dim; }
    bool has_norms_before() const { return norm_place != NormPlace::after; }
    bool has_norms_after() const { return norm_place != NormPlace::before; }
    std::uint32_t flags_of(std::uint32_t layer) const
    {
        return layer_flags.empty() ? 0 : layer_flags[layer];
    }
    /// Returns whether a layer has several feed-forward networks.
    bool has_experts(std::uint32_t layer) const
    {
        return experts != 0 && (flags_of(layer) & LEVEE_LAYER_DENSE) == 0;
    }
    bool operator==(const ModelShape&) const = default;
    /// Returns the number of elements of a head's query in the output of WQ.
    std::uint32_t raw_query() const { return kv_latent != 0 ? nope_dim + rotary_dim : head_dim; }
    /// Returns the number of elements that each head contributes to WO's input.
    std::uint32_t head_result() const { return kv_latent != 0 ? value_dim : head_dim; }
    /// Returns the number of elements that a token has in the cache of a layer.
    std::uint64_t cached_elements() const
    {
        return std::uint64_t{kv_latent != 0 ? 1U : 2U} * kv_heads * head_dim;
    }
    bool biased_output() const { return biases || attention_biases; }
    bool biased_qkv() const { return biased_output() || qkv_biases; }
};

/// Llama family: RMS norm, SwiGLU, rotated pairs, no biases. head_dim = dim / heads.
ModelShape llama_shape(std::uint32_t dim, std::uint32_t hidden, std::uint32_t layers,
                       std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t vocab,
                       std::uint32_t max_context);
/// OPT family: layer norm, ReLU, learned positions, biases on all matrices. head_dim = dim / heads.
ModelShape opt_shape(std::uint32_t dim, std::uint32_t hidden, std::uint32_t layers,
                     std::uint32_t heads, std::uint32_t vocab, std::uint32_t max_context);

/// Throws ModelError ("<source>: header.<field>: ...") for a shape that no model can have, or that
/// exceeds an image's limits (dimensions up to 2^20, layers up to 4096).
void check_shape(const ModelShape& shape, const std::string& source);

enum class TensorRole {
    matrix, ///< stored in the image's weight type
    vector, ///< FP32
    words   ///< UINT32
};

struct TensorSpec {
    levee_tensor_kind kind;
    std::uint32_t layer; ///< LEVEE_NO_LAYER for tensors that belong to no layer
    TensorRole role;
    std::uint32_t rows, cols;
};

/// Tensors that are stored without gaps between them: WQ WK WV; W_GATE W_UP; BQ BK BV. Every other
/// tensor forms a group of its own.
using TensorGroup = std::vector<TensorSpec>;

/// Every tensor of a (checked) shape, in the order of an image.
std::vector<TensorGroup> required_tensors(const ModelShape& shape);

const char* tensor_name(std::uint32_t kind); ///< "WQ"; "unknown" for an unknown kind
std::string tensor_place(std::uint32_t kind, std::uint32_t layer); ///< "WQ of layer 3"
const char* type_name(std::uint32_t type);                         ///< "INT8"; "unknown"

} // namespace levee
