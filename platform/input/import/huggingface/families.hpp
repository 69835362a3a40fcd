// SPDX-License-Identifier: Apache-2.0
// Families of models as properties: facts that config.json does not say, the values that
// transformers takes for absent keys, and the keys and names of the rest.
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
    const char* name; ///< behind the prefix; of a layer, behind "layers.N."
};

enum class FamilyBiases { none, qkv, all };

/// Keys of a config.json; null: the family has none.
struct FamilyKeys {
    const char* activation = "hidden_act";
    const char* epsilon = "rms_norm_eps";
    const char* qkv_biases = nullptr;   ///< biases of Q, K and V
    const char* all_biases = nullptr;   ///< of all six matrices
    const char* parallel = nullptr;     ///< both halves of a layer read one norm
    const char* rotary_share = nullptr; ///< share of a head that is rotated
    const char* score_cap = nullptr;
    const char* logit_cap = nullptr;
    const char* score_scale = nullptr; ///< the factor of scores; 1 where it is not given
    const char* score_width = nullptr; ///< a width whose inverse root it is
    const char* embedding_scale = nullptr;
    const char* sum_scale = nullptr; ///< of what each half of a layer adds
    const char* logit_scale = nullptr;
    const char* logit_divisor = nullptr;
    const char* pattern = nullptr;         ///< every which layer is global
    const char* local_theta = nullptr;     ///< base of local layers
    const char* rotated_layers = nullptr;  ///< 1 for each layer that is rotated
    const char* unrotated_every = nullptr; ///< every which layer is not
    const char* experts = nullptr;         ///< of a layer
    const char* chosen = nullptr;          ///< of these, for a token
    const char* expert_hidden = nullptr;   ///< their width; null: intermediate_size
    const char* among_chosen = nullptr;    ///< whether weights are those of the chosen alone
};

/// Names of an expert's matrices: what stands before and behind its number. Null: all experts are
/// in one tensor, under the name of its kind.
struct ExpertNames {
    const char* before = nullptr;
    const char* gate = nullptr;
    const char* up = nullptr;
    const char* down = nullptr;
};

struct Family {
    const char* architecture; ///< of "architectures"
    const char* model_type;
    levee_norm norm = LEVEE_NORM_RMS;
    NormPlace place = NormPlace::before;
    HeadNorm head_norm = HeadNorm::none;
    levee_position position = LEVEE_POSITION_ROPE_HALVES;
    FamilyBiases biases = FamilyBiases::none;
    bool gated = true;
    bool parallel = false;         ///< unless the key says otherwise
    bool has_bias_keys = false;    ///< attention_bias and mlp_bias
    bool gain_offset = false;      ///< gains are stored less 1
    bool root_embedding = false;   ///< embeddings are multiplied by the root of their width
    bool whole = true;             ///< else only its sizes are taken
    bool global_unrotated = false; ///< layers that are global are not rotated
    const char* why_not_whole = "";
    // The values that transformers takes for absent keys; 0: the key must be there.
    std::uint32_t vocab = 0, heads = 0, max_context = 0;
    std::uint32_t kv_heads = 0;        ///< 0: as many as heads
    std::uint32_t head_dim = 0;        ///< 0: hidden_size / num_attention_heads
    bool slides = false;               ///< whether sliding_window counts without use_sliding_window
    std::uint32_t window = 0;          ///< 0: none
    std::uint32_t local_from = 0;      ///< layer; of families that must ask for their window
    std::uint32_t global_every = 0;    ///< 0: all layers are local where there is a window
    std::uint32_t unrotated_every = 0; ///< 0: all are rotated
    bool among_chosen = false;
    bool tied = false;
    double epsilon = 1e-6;
    double theta = 10000.0;
    double rotary_share = 1.0;
    double score_width = 0.0; ///< 0: a head's
    double score_cap = 0.0, logit_cap = 0.0;
    double logit_scale = 1.0;
    const char* activation = "silu";
    FamilyKeys keys{};
    std::span<const KindName> names{}; ///< those that are not Llama's
    ExpertNames experts{};
};

/// The family of "architectures" or "model_type"; null: none.
const Family* find_family(std::string_view name);

/// "LlamaForCausalLM, MistralForCausalLM, ...": those of which all is taken, or all.
std::string family_names(bool whole_only);

/// OPT, whose config.json has other keys.
bool is_opt(const Family& family);

/// Keys that the family's reader reads beside those of all families.
std::vector<std::string_view> keys_of(const Family& family);

/// Null for a kind that the family's checkpoints do not have.
const char* name_of_kind(const Family& family, levee_tensor_kind kind);

} // namespace levee::hf
