// SPDX-License-Identifier: Apache-2.0
// Families of models as tables of properties. A family has facts that config.json does not state,
// the values that transformers assumes for absent keys, and the names of its keys and tensors.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee::hf {

struct KindName {
    levee_tensor_kind kind;
    const char* name; ///< name after the prefix; for layers, the name after "layers.N."
};

enum class FamilyBiases { none, qkv, all };

/// The keys for biases that a family has. attention_bias is for Q, K, V and the output, unless
/// FamilyKeys says otherwise. The other key is mlp_bias.
enum class BiasKeys { none, attention, both };

/// A switch that must have this value. Models with the other value are not supported.
struct NeededFlag {
    const char* key;
    bool value;
    bool without; ///< Value that transformers assumes if the key is absent.
};

/// A key with a word, which must be one of these if the key is given. Models with other words are
/// not supported.
struct NeededWord {
    const char* key;
    std::span<const char* const> words;
};

/// A key that is not read but must have this value (as JSON) if it is given. Another value would
/// contradict what the family computes.
struct KeptValue {
    const char* key;
    const char* json;
};

/// Names of keys in a config.json; null: the family does not have this key.
struct FamilyKeys {
    const char* layers = "num_hidden_layers";
    const char* hidden = "intermediate_size";
    const char* kv_heads = "num_key_value_heads";
    const char* theta = "rope_theta";
    const char* activation = "hidden_act";
    const char* epsilon = "rms_norm_eps";
    const char* qkv_biases = nullptr;       ///< biases of Q, K and V
    const char* attention_biases = nullptr; ///< biases of Q, K, V and the output
    const char* head_norm = nullptr;        ///< norms of queries and keys, head by head
    const char* all_biases = nullptr;       ///< Biases of all six matrices.
    const char* parallel = nullptr;         ///< attention and feed-forward network read one norm
    const char* rotary_share = nullptr;     ///< share of a head that is rotated
    const char* score_cap = nullptr;
    const char* logit_cap = nullptr;
    const char* score_scale = nullptr; ///< Factor of scores; 1 if it is not given.
    const char* score_width = nullptr; ///< Width w; the factor of scores is 1 / sqrt(w).
    const char* embedding_scale = nullptr;
    const char* sum_scale = nullptr; ///< factor of attention's and network's outputs
    const char* logit_scale = nullptr;
    const char* logit_divisor = nullptr;
    const char* depth_scale = nullptr;     ///< further factor of the same outputs, which is
                                           ///< divided by sqrt(number of layers)
    const char* logit_base = nullptr;      ///< width w: logits are multiplied by w / hidden_size
    const char* pattern = nullptr;         ///< period of global layers
    const char* local_theta = nullptr;     ///< rotation base of local layers
    const char* position_kind = nullptr;   ///< if set, layers rotate only if the value is "rope"
    const char* rotated_layers = nullptr;  ///< list with 1 for each rotated layer
    const char* unrotated_every = nullptr; ///< period of layers that are not rotated
    const char* experts = nullptr;         ///< Number of experts in a layer.
    const char* chosen = nullptr;          ///< Number of experts chosen for a token.
    const char* expert_hidden = nullptr;   ///< Width of experts; null: intermediate_size.
    const char* among_chosen = nullptr;    ///< Whether weights are normalised over the chosen
                                           ///< experts.
    const char* scoring = nullptr;         ///< "softmax" or "sigmoid"
    const char* expert_scale = nullptr;    ///< Factor of the experts' output, except that of shared
                                           ///< experts.
    const char* shared_hidden = nullptr;   ///< width of the shared expert or dense network
    const char* shared_count = nullptr;    ///< number of shared experts, given instead of a width
    const char* first_sparse = nullptr;    ///< the first layer with experts
    const char* last_sparse = nullptr;     ///< last layer with experts; -1: the model's last layer
    const char* sparse_every = nullptr;    ///< Period of layers with experts.
    const char* dense_layers = nullptr;    ///< list of additional layers without experts
    const char* glu_limit = nullptr;       ///< Limit of a clamped gate.
    const char* glu_alpha = nullptr;       ///< factor within the sigmoid of a clamped gate
    const char* further_layers = nullptr;  ///< number of layers after the last one that predict
                                           ///< further tokens
    // Latent attention. If all are null, each head has its own keys and values.
    const char* kv_latent = nullptr;    ///< width of latent vectors
    const char* query_latent = nullptr; ///< Width of the vector from which queries are computed;
                                        ///< null: none.
    const char* rope_dim = nullptr;     ///< elements of a query that are rotated
    const char* nope_dim = nullptr;     ///< Width of the elements that are not rotated.
    const char* value_dim = nullptr;    ///< Width of a head's result.
};

/// Layout if one tensor has the matrices of all experts. Each matrix is [outputs, inputs] or, in
/// gpt-oss, [inputs, outputs] with gates and ups alternating.
enum class ExpertOrder { rows, columns_in_turn };

/// Names of an expert's matrices: the text before and after the expert's number. For a shared
/// expert: the text before the matrices' own names. Null: one tensor, named after its kind, has the
/// matrices of all experts.
struct ExpertNames {
    const char* before = nullptr;
    const char* gate = nullptr;
    const char* up = nullptr;
    const char* down = nullptr;
};

struct Family {
    const char* architecture; ///< name in the list "architectures"
    const char* model_type;
    levee_norm norm = LEVEE_NORM_RMS;
    NormPlace place = NormPlace::before;
    HeadNorm head_norm = HeadNorm::none;
    levee_position position = LEVEE_POSITION_ROPE_HALVES;
    FamilyBiases biases = FamilyBiases::none;
    bool gated = true;
    bool parallel = false; ///< attention and network read one norm, unless a key says no
    BiasKeys bias_keys = BiasKeys::none;
    bool gain_offset = false;      ///< stored gains are smaller by 1 than the gains
    bool root_embedding = false;   ///< embeddings are multiplied by sqrt(width)
    bool whole = true;             ///< the whole model is supported; otherwise only its
                                   ///< shape
    bool global_unrotated = false; ///< layers that are global are not rotated
    bool rotated_alone = false;    ///< global_unrotated applies only if there is a window
    bool local_unscaled = false;   ///< positions of local layers are not scaled
    const char* why_not_whole = "";
    bool own_norms = false; ///< in parallel layers, attention and network have separate norms
    // Prefixes of tensor names: of all tensors except the head's, and of the tensors of a layer.
    const char* prefix = "model.";
    const char* headless_prefix = "";
    const char* layer_prefix = "layers.";
    const char* classifier = "lm_head.weight";
    /// Name of a tensor that has Q, K and V, one group of heads after another. A group has the
    /// queries that share a key's head, then the key, then the value. Null: Q, K and V are separate
    /// tensors.
    const char* grouped_qkv = nullptr;
    std::span<const char* const> idle{}; ///< suffixes of names of tensors that are ignored
    /// Keys of the family's files that have no effect on the parts that are read.
    std::span<const char* const> silent_keys{};
    std::span<const NeededFlag> needed{};
    std::span<const NeededWord> needed_words{};
    std::span<const KeptValue> kept{};
    std::uint32_t hidden_of_dim = 0; ///< Default width as a multiple of hidden_size, if the key is
                                     ///< absent; 0: the key is required.
    // Defaults of transformers for absent keys; 0: the key is required.
    std::uint32_t vocab = 0, heads = 0, max_context = 0;
    std::uint32_t kv_heads = 0;     ///< 0: as many as heads
    std::uint32_t head_dim = 0;     ///< 0: hidden_size / num_attention_heads
    bool slides = false;            ///< sliding_window applies even without
                                    ///< use_sliding_window
    std::uint32_t window = 0;       ///< 0: none
    std::uint32_t local_from = 0;   ///< first layer with a window, if max_window_layers is absent
    bool lists_local = false;       ///< layer_types is required if window < context
    bool lists_attention = false;   ///< layer_types is required: a layer may lack attention
    std::uint32_t global_every = 0; ///< 0: if there is a window, all layers are local
    std::uint32_t unrotated_every = 0; ///< 0: all are rotated
    bool among_chosen = false;
    bool maybe_dense = false;      ///< a null for the number of experts means that there are none
    bool alone_as_scored = false;  ///< the weight of a single chosen expert is not normalised
    bool scaled_or_shared = false; ///< expert weights are either scaled or normalised over the
                                   ///< chosen experts, never both
    bool sigmoid = false;       ///< scores of experts are sigmoids, unless the key says otherwise
    bool router_bias = false;   ///< The router has a bias.
    bool choice_bias = false;   ///< A bias is added to scores when experts are chosen.
    bool expert_biases = false; ///< The experts' matrices have biases.
    bool shared_gate = false;   ///< The shared expert has a gate.
    std::uint32_t first_sparse = 0; ///< Layers before this one have no experts.
    std::uint32_t shared_count = 0; ///< default number of shared experts
    bool sinks = false;             ///< Attention has sinks.
    bool scaled_positions = false;  ///< rope_scaling or rope_parameters is required
    double glu_limit = 0.0;         ///< default limit of clamped gates
    double glu_alpha = 0.0;
    bool tied = false;
    double epsilon = 1e-6;
    double theta = 10000.0;
    double rotary_share = 1.0;
    double score_width = 0.0; ///< 0: the width of a head
    double score_cap = 0.0, logit_cap = 0.0;
    double logit_scale = 1.0;
    const char* activation = "silu";
    FamilyKeys keys{};
    std::span<const KindName> names{}; ///< Names that differ from those of Llama.
    ExpertNames experts{};
    ExpertNames shared{};
    ExpertOrder order = ExpertOrder::rows;
};

/// Finds the family that "architectures" or "model_type" names; null: there is none.
const Family* find_family(std::string_view name);

/// Returns why runs do not support a family, which is given by either name; null: the family is not
/// known here.
const char* why_refused(std::string_view name);

/// Returns the names "LlamaForCausalLM, MistralForCausalLM, ..." of all families, or only of those
/// that are fully supported.
std::string family_names(bool whole_only);

/// Returns whether the family is OPT, whose config.json has other keys.
bool is_opt(const Family& family);

/// Returns the keys that the family's reader reads in addition to common ones.
std::vector<std::string_view> keys_of(const Family& family);

/// Returns the name of a kind of tensor; null if the family's checkpoints do not have this kind.
const char* name_of_kind(const Family& family, levee_tensor_kind kind);

/// Name of the matrix that computes queries from a latent vector.
inline constexpr const char* name_of_query_from_latent = "self_attn.q_b_proj.weight";

/// Returns the name of a shared expert's matrix; empty for any other kind.
std::string name_of_shared(const Family& family, levee_tensor_kind kind);

} // namespace levee::hf
