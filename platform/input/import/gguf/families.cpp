// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/families.hpp"

#include <algorithm>
#include <iterator>

namespace levee::gguf {

namespace {

constexpr Family families[] = {
    {.name = "llama", .position = LEVEE_POSITION_ROPE_PAIRS, .experts = true, .among_chosen = true},
    {.name = "mistral3", .position = LEVEE_POSITION_ROPE_PAIRS, .tempered = true},
    {.name = "arcee",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .activation = LEVEE_ACTIVATION_RELU_SQUARED},
    {.name = "seed_oss", .ffn_norm = "post_attention_norm.weight"},
    {.name = "ernie4_5", .position = LEVEE_POSITION_ROPE_PAIRS},
    {.name = "qwen2", .qkv_biases = true},
    {.name = "qwen3", .head_norm = HeadNorm::head},
    {.name = "qwen3moe", .head_norm = HeadNorm::head, .experts = true, .among_chosen = true},
    {.name = "qwen2moe", .qkv_biases = true, .experts = true, .shared = true},
    {.name = "deepseek", .position = LEVEE_POSITION_ROPE_PAIRS, .experts = true, .shared = true},
    {.name = "deepseek2",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .experts = true,
     .shared = true,
     .latent = true},
    {.name = "glm4moe",
     .experts = true,
     .among_chosen = true,
     .sigmoid = true,
     .shared = true,
     .maybe_head_norm = true,
     .predicts = true,
     .ffn_norm = "post_attention_norm.weight"},
    {.name = "ernie4_5-moe",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .experts = true,
     .among_chosen = true,
     .shared = true},
    {.name = "gpt-oss",
     .activation = LEVEE_ACTIVATION_CLAMPED_GLU,
     .needs_window = true,
     .sinks = true,
     .global_every = 2,
     .experts = true,
     .among_chosen = true,
     .clamped = true,
     .ffn_norm = "post_attention_norm.weight"},
    {.name = "olmoe", .head_norm = HeadNorm::all, .experts = true},
    {.name = "phi3"},
    {.name = "gemma", .activation = LEVEE_ACTIVATION_GELU_TANH_GLU, .root_embedding = true},
    {.name = "gemma2",
     .place = NormPlace::both,
     .activation = LEVEE_ACTIVATION_GELU_TANH_GLU,
     .root_embedding = true,
     .window = 4096,
     .global_every = 2,
     .narrow_layers = 46,
     .caps = true,
     .score_cap = 50.0,
     .logit_cap = 30.0},
    {.name = "gemma3",
     .place = NormPlace::both,
     .head_norm = HeadNorm::head,
     .activation = LEVEE_ACTIVATION_GELU_TANH_GLU,
     .root_embedding = true,
     .local_base = true,
     .global_every = 6,
     .narrow_layers = 62,
     .caps = true},
    {.name = "smollm3", .position = LEVEE_POSITION_ROPE_PAIRS, .unrotated_every = 4},
    {.name = "olmo",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .gains = false,
     .norm_biases = false},
    {.name = "olmo2",
     .place = NormPlace::after,
     .head_norm = HeadNorm::all,
     .local_unscaled = true,
     .global_every = 4},
    {.name = "granite",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .logit_scale = LogitScale::divisor,
     .scales = true},
    {.name = "granitemoe",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .experts = true,
     .among_chosen = true,
     .shared = true,
     .logit_scale = LogitScale::divisor,
     .scales = true},
    {.name = "starcoder2", .norm = LEVEE_NORM_LAYER, .activation = LEVEE_ACTIVATION_GELU_TANH},
    {.name = "nemotron", .norm = LEVEE_NORM_LAYER, .activation = LEVEE_ACTIVATION_RELU_SQUARED},
    {.name = "stablelm", .norm = LEVEE_NORM_LAYER, .maybe_parallel = true},
    {.name = "command-r",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .norm_biases = false,
     .parallel = true,
     .logit_scale = LogitScale::factor},
    {.name = "cohere2",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .norm_biases = false,
     .parallel = true,
     .global_unrotated = true,
     .global_every = 4,
     .logit_scale = LogitScale::factor},
    {.name = "chatglm", .position = LEVEE_POSITION_ROPE_PAIRS},
    {.name = "glm4", .place = NormPlace::both, .position = LEVEE_POSITION_ROPE_PAIRS},
    {.name = "gptneox",
     .norm = LEVEE_NORM_LAYER,
     .activation = LEVEE_ACTIVATION_GELU,
     .biases = true,
     .own_norms = true},
    {.name = "falcon",
     .norm = LEVEE_NORM_LAYER,
     .activation = LEVEE_ACTIVATION_GELU,
     .parallel = true},
    {.name = "exaone"},
    {.name = "exaone4",
     .place = NormPlace::after,
     .head_norm = HeadNorm::head,
     .global_unrotated = true,
     .rotated_alone = true,
     .global_every = 4,
     .predicts = true},
    {.name = "internlm2", .position = LEVEE_POSITION_ROPE_PAIRS},
    {.name = "minicpm",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .logit_scale = LogitScale::divisor,
     .scales = true,
     .needs_scales = true},
    {.name = "opt",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_LEARNED,
     .activation = LEVEE_ACTIVATION_RELU,
     .biases = true},
};

} // namespace

const Family* find_family(std::string_view name)
{
    const auto* const found = std::ranges::find(families, name, &Family::name);
    return found == std::end(families) ? nullptr : found;
}

std::string architecture_names(const std::string& before_last)
{
    std::string text;
    for (const Family& family : families) {
        const bool is_last = &family == std::end(families) - 1;
        text += (text.empty() ? "" : is_last ? before_last : ", ") + std::string(family.name);
    }
    return text;
}

std::vector<std::string_view> own_keys(const Family& family)
{
    std::vector<std::string_view> keys;
    if (family.logit_scale != LogitScale::none) {
        keys.emplace_back("logit_scale");
    }
    if (family.scales) {
        keys.insert(keys.end(), {"attention.scale", "embedding_scale", "residual_scale"});
    }
    if (family.caps) {
        keys.insert(keys.end(), {"attn_logit_softcapping", "final_logit_softcapping"});
    }
    if (family.experts) {
        keys.insert(keys.end(), {"expert_count", "expert_used_count"});
    }
    if (family.shared) {
        keys.insert(keys.end(), {"expert_shared_count", "expert_shared_feed_forward_length",
                                 "leading_dense_block_count", "interleave_moe_layer_step"});
    }
    if (family.latent) {
        keys.insert(keys.end(),
                    {"attention.q_lora_rank", "attention.kv_lora_rank", "attention.key_length_mla",
                     "attention.value_length_mla", "rope.scaling.yarn_log_multiplier"});
    }
    if (family.predicts) {
        keys.emplace_back("nextn_predict_layers");
    }
    if (family.local_base || family.local_unscaled) {
        keys.emplace_back("rope.freq_base_swa");
    }
    if (family.tempered) {
        keys.insert(keys.end(),
                    {"attention.temperature_scale", "rope.scaling.yarn_log_multiplier"});
    }
    if (family.global_every != 0) {
        keys.emplace_back("attention.sliding_window_pattern");
    }
    if (family.own_norms) {
        keys.emplace_back("use_parallel_residual");
    }
    if (family.maybe_parallel) { // the tensors decide, because converters write true if the config
                                 // does not state it
        keys.emplace_back("use_parallel_residual");
    }
    return keys;
}

} // namespace levee::gguf
