// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/families.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace levee::hf {

namespace {

constexpr KindName llama_names[] = {{LEVEE_TENSOR_EMBEDDING, "embed_tokens.weight"},
                                    {LEVEE_TENSOR_NORM_ATTENTION, "input_layernorm.weight"},
                                    {LEVEE_TENSOR_NORM_ATTENTION_BIAS, "input_layernorm.bias"},
                                    {LEVEE_TENSOR_WQ, "self_attn.q_proj.weight"},
                                    {LEVEE_TENSOR_WK, "self_attn.k_proj.weight"},
                                    {LEVEE_TENSOR_WV, "self_attn.v_proj.weight"},
                                    {LEVEE_TENSOR_WO, "self_attn.o_proj.weight"},
                                    {LEVEE_TENSOR_BQ, "self_attn.q_proj.bias"},
                                    {LEVEE_TENSOR_BK, "self_attn.k_proj.bias"},
                                    {LEVEE_TENSOR_BV, "self_attn.v_proj.bias"},
                                    {LEVEE_TENSOR_BO, "self_attn.o_proj.bias"},
                                    {LEVEE_TENSOR_NORM_QUERY, "self_attn.q_norm.weight"},
                                    {LEVEE_TENSOR_NORM_KEY, "self_attn.k_norm.weight"},
                                    {LEVEE_TENSOR_NORM_FFN, "post_attention_layernorm.weight"},
                                    {LEVEE_TENSOR_NORM_FFN_BIAS, "post_attention_layernorm.bias"},
                                    {LEVEE_TENSOR_W_GATE, "mlp.gate_proj.weight"},
                                    {LEVEE_TENSOR_W_UP, "mlp.up_proj.weight"},
                                    {LEVEE_TENSOR_W_DOWN, "mlp.down_proj.weight"},
                                    {LEVEE_TENSOR_NORM_FINAL, "norm.weight"},
                                    {LEVEE_TENSOR_NORM_FINAL_BIAS, "norm.bias"},
                                    {LEVEE_TENSOR_W_ROUTER, "mlp.gate.weight"},
                                    {LEVEE_TENSOR_W_EXPERTS_UP, "mlp.experts"},
                                    {LEVEE_TENSOR_W_EXPERTS_DOWN, "mlp.experts"}};

constexpr KindName opt_names[] = {{LEVEE_TENSOR_POSITION, "embed_positions.weight"},
                                  {LEVEE_TENSOR_NORM_ATTENTION, "self_attn_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_ATTENTION_BIAS, "self_attn_layer_norm.bias"},
                                  {LEVEE_TENSOR_WO, "self_attn.out_proj.weight"},
                                  {LEVEE_TENSOR_BO, "self_attn.out_proj.bias"},
                                  {LEVEE_TENSOR_NORM_FFN, "final_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_FFN_BIAS, "final_layer_norm.bias"},
                                  {LEVEE_TENSOR_W_UP, "fc1.weight"},
                                  {LEVEE_TENSOR_W_DOWN, "fc2.weight"},
                                  {LEVEE_TENSOR_B_UP, "fc1.bias"},
                                  {LEVEE_TENSOR_B_DOWN, "fc2.bias"},
                                  {LEVEE_TENSOR_NORM_FINAL, "final_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_FINAL_BIAS, "final_layer_norm.bias"}};

/// Norms before and after (Gemma 2 and 3), or after alone (OLMo 2).
constexpr KindName sandwich_names[] = {
    {LEVEE_TENSOR_NORM_ATTENTION_AFTER, "post_attention_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN, "pre_feedforward_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN_AFTER, "post_feedforward_layernorm.weight"}};

constexpr KindName glm4_names[] = {
    {LEVEE_TENSOR_NORM_ATTENTION_AFTER, "post_self_attn_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN, "post_attention_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN_AFTER, "post_mlp_layernorm.weight"}};

constexpr KindName starcoder2_names[] = {{LEVEE_TENSOR_W_UP, "mlp.c_fc.weight"},
                                         {LEVEE_TENSOR_B_UP, "mlp.c_fc.bias"},
                                         {LEVEE_TENSOR_W_DOWN, "mlp.c_proj.weight"},
                                         {LEVEE_TENSOR_B_DOWN, "mlp.c_proj.bias"}};

constexpr KindName phi_names[] = {{LEVEE_TENSOR_WO, "self_attn.dense.weight"},
                                  {LEVEE_TENSOR_BO, "self_attn.dense.bias"},
                                  {LEVEE_TENSOR_W_UP, "mlp.fc1.weight"},
                                  {LEVEE_TENSOR_B_UP, "mlp.fc1.bias"},
                                  {LEVEE_TENSOR_W_DOWN, "mlp.fc2.weight"},
                                  {LEVEE_TENSOR_B_DOWN, "mlp.fc2.bias"},
                                  {LEVEE_TENSOR_NORM_FINAL, "final_layernorm.weight"},
                                  {LEVEE_TENSOR_NORM_FINAL_BIAS, "final_layernorm.bias"}};

constexpr KindName mixtral_names[] = {{LEVEE_TENSOR_W_ROUTER, "block_sparse_moe.gate.weight"},
                                      {LEVEE_TENSOR_W_EXPERTS_UP, "block_sparse_moe.experts"},
                                      {LEVEE_TENSOR_W_EXPERTS_DOWN, "block_sparse_moe.experts"}};
constexpr ExpertNames mixtral_experts{"block_sparse_moe.experts.", ".w1.weight", ".w3.weight",
                                      ".w2.weight"};
constexpr ExpertNames qwen_experts{"mlp.experts.", ".gate_proj.weight", ".up_proj.weight",
                                   ".down_proj.weight"};

constexpr KindName granite_moe_names[] = {
    {LEVEE_TENSOR_W_ROUTER, "block_sparse_moe.router.layer.weight"},
    {LEVEE_TENSOR_W_EXPERTS_UP, "block_sparse_moe.input_linear.weight"},
    {LEVEE_TENSOR_W_EXPERTS_DOWN, "block_sparse_moe.output_linear.weight"}};

/// Layer norms without a bias.
constexpr KindName cohere_names[] = {{LEVEE_TENSOR_NORM_ATTENTION_BIAS, nullptr},
                                     {LEVEE_TENSOR_NORM_FINAL_BIAS, nullptr}};
/// Layer norms without gain or bias.
constexpr KindName olmo_names[] = {
    {LEVEE_TENSOR_NORM_ATTENTION, nullptr}, {LEVEE_TENSOR_NORM_ATTENTION_BIAS, nullptr},
    {LEVEE_TENSOR_NORM_FFN, nullptr},       {LEVEE_TENSOR_NORM_FFN_BIAS, nullptr},
    {LEVEE_TENSOR_NORM_FINAL, nullptr},     {LEVEE_TENSOR_NORM_FINAL_BIAS, nullptr}};

constexpr Family families[] = {
    {.architecture = "LlamaForCausalLM", .model_type = "llama", .has_bias_keys = true},
    {.architecture = "MistralForCausalLM",
     .model_type = "mistral",
     .kv_heads = 8,
     .slides = true,
     .window = 4096},
    {.architecture = "Qwen2ForCausalLM",
     .model_type = "qwen2",
     .biases = FamilyBiases::qkv,
     .kv_heads = 32,
     .window = 4096,
     .local_from = 28},
    {.architecture = "OPTForCausalLM", .model_type = "opt", .gated = false, .names = opt_names},
    {.architecture = "Qwen3ForCausalLM",
     .model_type = "qwen3",
     .head_norm = HeadNorm::head,
     .has_bias_keys = true,
     .kv_heads = 32,
     .head_dim = 128,
     .window = 4096,
     .local_from = 28},
    {.architecture = "Phi3ForCausalLM",
     .model_type = "phi3",
     .slides = true,
     .epsilon = 1e-5,
     .keys = {.rotary_share = "partial_rotary_factor"}},
    {.architecture = "GemmaForCausalLM",
     .model_type = "gemma",
     .has_bias_keys = true,
     .gain_offset = true,
     .root_embedding = true,
     .kv_heads = 16,
     .head_dim = 256,
     .tied = true,
     .activation = "gelu_pytorch_tanh",
     .keys = {.activation = "hidden_activation"}},
    {.architecture = "Gemma2ForCausalLM",
     .model_type = "gemma2",
     .place = NormPlace::both,
     .has_bias_keys = true,
     .gain_offset = true,
     .root_embedding = true,
     .kv_heads = 4,
     .head_dim = 256,
     .slides = true,
     .window = 4096,
     .global_every = 2,
     .tied = true,
     .score_width = 256.0,
     .score_cap = 50.0,
     .logit_cap = 30.0,
     .activation = "gelu_pytorch_tanh",
     .keys = {.activation = "hidden_activation",
              .score_cap = "attn_logit_softcapping",
              .logit_cap = "final_logit_softcapping",
              .score_width = "query_pre_attn_scalar"},
     .names = sandwich_names},
    {.architecture = "Gemma3ForCausalLM",
     .model_type = "gemma3_text",
     .place = NormPlace::both,
     .head_norm = HeadNorm::head,
     .has_bias_keys = true,
     .gain_offset = true,
     .root_embedding = true,
     .vocab = 262208,
     .heads = 8,
     .max_context = 131072,
     .kv_heads = 4,
     .head_dim = 256,
     .slides = true,
     .window = 4096,
     .global_every = 6,
     .tied = true,
     .theta = 1e6,
     .score_width = 256.0,
     .activation = "gelu_pytorch_tanh",
     .keys = {.activation = "hidden_activation",
              .score_cap = "attn_logit_softcapping",
              .logit_cap = "final_logit_softcapping",
              .score_width = "query_pre_attn_scalar",
              .pattern = "sliding_window_pattern",
              .local_theta = "rope_local_base_freq"},
     .names = sandwich_names},
    {.architecture = "SmolLM3ForCausalLM",
     .model_type = "smollm3",
     .has_bias_keys = true,
     .kv_heads = 4,
     .unrotated_every = 4,
     .tied = true,
     .theta = 2e6,
     .keys = {.rotated_layers = "no_rope_layers", .unrotated_every = "no_rope_layer_interval"}},
    {.architecture = "Olmo2ForCausalLM",
     .model_type = "olmo2",
     .place = NormPlace::after,
     .head_norm = HeadNorm::all,
     .has_bias_keys = true,
     .epsilon = 1e-5,
     .names = sandwich_names},
    {.architecture = "OlmoForCausalLM",
     .model_type = "olmo",
     .norm = LEVEE_NORM_LAYER,
     .has_bias_keys = true,
     .epsilon = 1e-5,
     .keys = {.epsilon = nullptr},
     .names = olmo_names},
    {.architecture = "GraniteForCausalLM",
     .model_type = "granite",
     .has_bias_keys = true,
     .keys = {.score_scale = "attention_multiplier",
              .embedding_scale = "embedding_multiplier",
              .sum_scale = "residual_multiplier",
              .logit_divisor = "logits_scaling"}},
    {.architecture = "Starcoder2ForCausalLM",
     .model_type = "starcoder2",
     .norm = LEVEE_NORM_LAYER,
     .gated = false,
     .kv_heads = 2,
     .slides = true,
     .tied = true,
     .epsilon = 1e-5,
     .activation = "gelu_pytorch_tanh",
     .keys = {.epsilon = "norm_epsilon", .all_biases = "use_bias"},
     .names = starcoder2_names},
    {.architecture = "NemotronForCausalLM",
     .model_type = "nemotron",
     .norm = LEVEE_NORM_LAYER,
     .gated = false,
     .has_bias_keys = true,
     .gain_offset = true,
     .epsilon = 1e-5,
     .rotary_share = 0.5,
     .activation = "relu2",
     .keys = {.epsilon = "norm_eps", .rotary_share = "partial_rotary_factor"}},
    {.architecture = "StableLmForCausalLM",
     .model_type = "stablelm",
     .norm = LEVEE_NORM_LAYER,
     .kv_heads = 32,
     .epsilon = 1e-5,
     .rotary_share = 0.25,
     .keys = {.epsilon = "layer_norm_eps",
              .qkv_biases = "use_qkv_bias",
              .parallel = "use_parallel_residual",
              .rotary_share = "partial_rotary_factor"}},
    {.architecture = "CohereForCausalLM",
     .model_type = "cohere",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .parallel = true,
     .has_bias_keys = true,
     .tied = true,
     .epsilon = 1e-5,
     .logit_scale = 0.0625,
     .keys = {.epsilon = "layer_norm_eps", .logit_scale = "logit_scale"},
     .names = cohere_names},
    {.architecture = "Cohere2ForCausalLM",
     .model_type = "cohere2",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .parallel = true,
     .has_bias_keys = true,
     .global_unrotated = true,
     .slides = true,
     .window = 4096,
     .global_every = 4,
     .tied = true,
     .epsilon = 1e-5,
     .logit_scale = 0.0625,
     .keys = {.epsilon = "layer_norm_eps",
              .logit_scale = "logit_scale",
              .pattern = "sliding_window_pattern"},
     .names = cohere_names},
    {.architecture = "Glm4ForCausalLM",
     .model_type = "glm4",
     .place = NormPlace::both,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .kv_heads = 2,
     .head_dim = 128,
     .epsilon = 1.5625e-7,
     .rotary_share = 0.5,
     .keys = {.qkv_biases = "attention_bias", .rotary_share = "partial_rotary_factor"},
     .names = glm4_names},
    {.architecture = "MixtralForCausalLM",
     .model_type = "mixtral",
     .kv_heads = 8,
     .slides = true,
     .among_chosen = true,
     .epsilon = 1e-5,
     .theta = 1e6,
     .keys = {.experts = "num_local_experts", .chosen = "num_experts_per_tok"},
     .names = mixtral_names,
     .experts = mixtral_experts},
    {.architecture = "Qwen3MoeForCausalLM",
     .model_type = "qwen3_moe",
     .head_norm = HeadNorm::head,
     .has_bias_keys = true,
     .kv_heads = 4,
     .window = 4096,
     .local_from = 28,
     .keys = {.experts = "num_experts",
              .chosen = "num_experts_per_tok",
              .expert_hidden = "moe_intermediate_size",
              .among_chosen = "norm_topk_prob"},
     .experts = qwen_experts},
    {.architecture = "OlmoeForCausalLM",
     .model_type = "olmoe",
     .head_norm = HeadNorm::all,
     .has_bias_keys = true,
     .epsilon = 1e-5,
     .keys = {.experts = "num_experts",
              .chosen = "num_experts_per_tok",
              .among_chosen = "norm_topk_prob"},
     .experts = qwen_experts},
    {.architecture = "GraniteMoeForCausalLM",
     .model_type = "granitemoe",
     .has_bias_keys = true,
     .among_chosen = true,
     .keys = {.score_scale = "attention_multiplier",
              .embedding_scale = "embedding_multiplier",
              .sum_scale = "residual_multiplier",
              .logit_divisor = "logits_scaling",
              .experts = "num_local_experts",
              .chosen = "num_experts_per_tok"},
     .names = granite_moe_names},
    {.architecture = "PhiForCausalLM",
     .model_type = "phi",
     .norm = LEVEE_NORM_LAYER,
     .biases = FamilyBiases::all,
     .gated = false,
     .parallel = true,
     .whole = false,
     .why_not_whole = "its classifier has a bias, which no machine adds",
     .epsilon = 1e-5,
     .rotary_share = 0.5,
     .activation = "gelu_new",
     .keys = {.epsilon = "layer_norm_eps", .rotary_share = "partial_rotary_factor"},
     .names = phi_names},
};

} // namespace

const Family* find_family(std::string_view name)
{
    const auto* const found = std::ranges::find_if(families, [name](const Family& family) {
        return name == family.architecture || name == family.model_type;
    });
    return found == std::end(families) ? nullptr : found;
}

std::string family_names(bool whole_only)
{
    std::string names;
    for (const Family& family : families)
        if (family.whole || !whole_only)
            names += (names.empty() ? "" : ", ") + std::string(family.architecture);
    return names;
}

bool is_opt(const Family& family)
{
    return std::string_view(family.model_type) == "opt";
}

std::vector<std::string_view> keys_of(const Family& family)
{
    const FamilyKeys& keys = family.keys;
    std::vector<std::string_view> read;
    for (const char* const key :
         {keys.activation,     keys.epsilon,         keys.qkv_biases,      keys.all_biases,
          keys.parallel,       keys.rotary_share,    keys.score_cap,       keys.logit_cap,
          keys.score_scale,    keys.score_width,     keys.embedding_scale, keys.sum_scale,
          keys.logit_scale,    keys.logit_divisor,   keys.pattern,         keys.local_theta,
          keys.rotated_layers, keys.unrotated_every, keys.experts,         keys.chosen,
          keys.expert_hidden,  keys.among_chosen})
        if (key != nullptr)
            read.emplace_back(key);
    return read;
}

const char* name_of_kind(const Family& family, levee_tensor_kind kind)
{
    for (const std::span<const KindName> names :
         {family.names, std::span<const KindName>(llama_names)})
        for (const KindName& known : names)
            if (known.kind == kind)
                return known.name;
    return nullptr;
}

} // namespace levee::hf
