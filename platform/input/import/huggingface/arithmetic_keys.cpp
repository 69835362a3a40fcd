// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/arithmetic_keys.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace levee::hf {

namespace {

/// Switches, counts and lists that have no effect if they are false, 0, "none" or empty.
constexpr std::array off_keys{
    // attention
    "alibi",
    "use_alibi",
    "attn_logit_softcapping",
    "attn_logit_soft_cap",
    "attn_soft_cap",
    "final_logit_softcapping",
    "logits_soft_cap",
    "attention_chunk_size",
    "attn_temperature_tuning",
    "clip_qkv",
    "clamp_kqv",
    "use_qk_norm",
    "qk_norm",
    "qk_layernorm",
    "use_qk_layernorm",
    "query_key_norm",
    "use_attention_sinks",
    "attention_sinks",
    "add_cross_attention",
    "cross_attention_hidden_size",
    "cross_attention_layers",
    "use_bidirectional_attention",
    "bidirectional",
    "kv_lora_rank",
    "q_lora_rank",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "num_kv_shared_layers",
    "cla_share_factor",
    "layer_group_size",
    "use_mla",
    "attention_window_size",
    "window_size",
    "local_attention",
    // positions
    "no_rope_layer_interval",
    "nope_layer_interval",
    "rope_interleaved",
    "use_mrope",
    "mrope_section",
    "rope_local_base_freq",
    "local_rope_theta",
    "swa_rope_theta",
    // mixtures of experts and other layers
    "n_shared_experts",
    "num_shared_experts",
    "shared_expert_intermediate_size",
    "moe_num_shared_experts",
    "first_k_dense_replace",
    "hybrid_override_pattern",
    "block_configs",
    "layers_block_type",
    "num_nextn_predict_layers",
    "num_mtp_layers",
    "mamba_d_state",
    "ssm_state_size",
    "laurel_rank",
    "altup_num_inputs",
    "num_memory_layers",
    // norms, biases, sums
    "use_bias",
    "bias",
    "lm_head_bias",
    "attention_out_bias",
    "attention_output_bias",
    "o_bias",
    "use_parallel_residual",
    "parallel_residual",
    "parallel_attn",
    "parallel_attention",
    "apply_residual_connection_post_layernorm",
    "sandwich_norm",
    "use_post_norm",
    "post_norm",
    "norm_after",
    "add_unit_offset",
    "rms_norm_add_unit_offset",
    "normalize_embedding",
    "normalize_embeddings",
    "scale_embedding",
    "scale_embeddings",
    "use_mup",
    "scale_depth",
    "activation_sparsity_pattern",
    "sparsity_threshold",
    "is_encoder_decoder",
    "pruned_heads",
};

/// Factors that have no effect if they are 1.
constexpr std::array factor_keys{
    "embedding_multiplier",  "embedding_scale",       "scale_emb",
    "residual_multiplier",   "residual_scale",        "logits_scaling",
    "logit_scale",           "lm_head_multiplier",    "key_multiplier",
    "full_attn_mod",         "interpolate_factor",    "mup_width_multiplier",
    "routed_scaling_factor", "partial_rotary_factor", "rotary_pct",
    "rotary_percent",        "rope_percentage",       "attention_output_multiplier"};

/// Keys about a model's purpose, training or sampling, and keys that other code reads.
constexpr std::array harmless_keys{"_name_or_path",
                                   "activation_dropout",
                                   "add_bos_token",
                                   "add_eos_token",
                                   "architectures",
                                   "attention_dropout",
                                   "attn_dropout",
                                   "attn_implementation",
                                   "attn_pdrop",
                                   "attention_probs_dropout_prob",
                                   "attention_softmax_in_fp32",
                                   "audio_token_id",
                                   "auto_map",
                                   "bad_words_ids",
                                   "begin_suppress_tokens",
                                   "boi_token_index",
                                   "bos_token_id",
                                   "cache_implementation",
                                   "chunk_size_feed_forward",
                                   "classifier_dropout",
                                   "decoder_start_token_id",
                                   "diversity_penalty",
                                   "do_sample",
                                   "dropout",
                                   "dtype",
                                   "early_stopping",
                                   "embd_pdrop",
                                   "embedding_dropout",
                                   "encoder_no_repeat_ngram_size",
                                   "eoi_token_index",
                                   "embed_dropout",
                                   "eod_token_id",
                                   "eos_token_id",
                                   "exponential_decay_length_penalty",
                                   "finetuning_task",
                                   "forced_bos_token_id",
                                   "forced_eos_token_id",
                                   "gradient_checkpointing",
                                   "hidden_dropout",
                                   "hidden_dropout_prob",
                                   "id2label",
                                   "image_token_id",
                                   "image_token_index",
                                   "init_std",
                                   "initializer_range",
                                   "is_decoder",
                                   "is_llama_config",
                                   "keys_to_ignore_at_inference",
                                   "label2id",
                                   "layerdrop",
                                   "length_penalty",
                                   "logits_to_keep",
                                   "mask_token_id",
                                   "max_length",
                                   "min_length",
                                   "mm_tokens_per_image",
                                   "model_max_length",
                                   "model_type",
                                   "router_jitter_noise",
                                   "router_z_loss_coef",
                                   "router_z_loss_coefficient",
                                   "aux_loss_alpha",
                                   "seq_aux",
                                   "neftune_noise_alpha",
                                   "router_aux_loss_coef",
                                   "output_router_logits",
                                   "no_repeat_ngram_size",
                                   "num_beam_groups",
                                   "num_beams",
                                   "num_logits_to_keep",
                                   "num_return_sequences",
                                   "output_attentions",
                                   "output_hidden_states",
                                   "output_scores",
                                   "pad_token_id",
                                   "prefix",
                                   "pretraining_tp",
                                   "problem_type",
                                   "remove_invalid_values",
                                   "repetition_penalty",
                                   "resid_pdrop",
                                   "residual_dropout",
                                   "return_dict",
                                   "return_dict_in_generate",
                                   "scale_attention_softmax_in_fp32",
                                   "sep_token_id",
                                   "suppress_tokens",
                                   "task_specific_params",
                                   "temperature",
                                   "tf_legacy_loss",
                                   "tie_encoder_decoder",
                                   "tokenizer_class",
                                   "top_k",
                                   "top_p",
                                   "torch_dtype",
                                   "torchscript",
                                   "transformers.js_config",
                                   "transformers_version",
                                   "typical_p",
                                   "unk_token_id",
                                   "unsloth_fixed",
                                   "unsloth_version",
                                   "use_bfloat16",
                                   "use_cache",
                                   "use_flash_attn",
                                   "use_flash_attention",
                                   "use_flash_attention_2",
                                   "use_return_dict",
                                   "video_token_id",
                                   "vision_end_token_id",
                                   "vision_start_token_id",
                                   "vision_token_id"};

/// Keys that other code reads in the config of a model for texts.
constexpr std::array read_keys{"activation_function",
                               "attention_bias",
                               "attention_multiplier",
                               "decoder_sparse_step",
                               "dim_model_base",
                               "do_layer_norm_before",
                               "enable_bias",
                               "experts_per_token",
                               "ffn_dim",
                               "head_dim",
                               "hidden_act",
                               "hidden_activation",
                               "hidden_size",
                               "initial_context_length",
                               "intermediate_size",
                               "is_causal",
                               "layer_norm_elementwise_affine",
                               "layer_types",
                               "max_position_embeddings",
                               "max_sequence_length",
                               "max_window_layers",
                               "mlp_bias",
                               "mlp_only_layers",
                               "moe_intermediate_size",
                               "moe_layer_freq",
                               "moe_layer_interval",
                               "moe_norm_min",
                               "moe_num_experts",
                               "n_group",
                               "n_routed_experts",
                               "no_rope_layers",
                               "norm_topk_prob",
                               "num_attention_heads",
                               "num_experts",
                               "num_experts_per_tok",
                               "num_hidden_layers",
                               "num_key_value_heads",
                               "num_kv_heads",
                               "num_local_experts",
                               "original_max_position_embeddings", // in refused scalings
                               "qkv_bias",
                               "quantization_config",
                               "query_pre_attn_scalar",
                               "rms_norm_eps",
                               "rope_parameters",
                               "rope_scaling",
                               "rope_theta",
                               "scoring_func",
                               "sliding_window",
                               "tie_word_embeddings",
                               "topk_group",
                               "use_sliding_window",
                               "vocab_size",
                               "word_embed_proj_dim"};

template <typename Names> bool has(const Names& names, std::string_view key)
{
    return std::ranges::any_of(names, [&](const char* name) { return key == name; });
}

bool is_off(const Json& value)
{
    return value == Json(false) || value == Json(0) || value == Json("none") ||
           (value.is_structured() && value.empty());
}

/// Refuses a scaling of scores that differs from the usual one.
void check_score_scale(const JsonView& config, bool reads_factor, bool reads_width)
{
    const auto dim = config.find("head_dim");
    const auto heads = config.find("num_attention_heads"), width = config.find("hidden_size");
    if (!dim && !(heads && width && heads->real() != 0))
        return; // refused later for that reason
    const double values = dim ? dim->real() : width->real() / heads->real();
    constexpr double nearly = 1e-6; // tolerance for an inverse root that a file states as a rounded
                                    // number
    if (const auto found = config.find("attention_multiplier"); found && !reads_factor)
        if (std::abs(found->real() * std::sqrt(values) - 1) > nearly)
            found->fail("1 / sqrt(head_dim): no other scale of scores is supported");
    if (const auto found = config.find("query_pre_attn_scalar"); found && !reads_width)
        if (found->real() != values)
            found->fail("head_dim: no other scale of scores is supported");
}

/// Pairs of keys with the same meaning. transformers reads the second key of a pair, and the
/// training programs read the first.
constexpr std::array said_twice{
    std::pair{"experts_per_token", "num_experts_per_tok"},
    std::pair{"num_kv_heads", "num_key_value_heads"},
    std::pair{"kv_channels", "head_dim"},
    std::pair{"rope_percent", "partial_rotary_factor"},
    std::pair{"layer_switch", "sliding_window_pattern"},
    std::pair{"use_embedding_sharing", "tie_word_embeddings"},
};

void refuse_contradictions(const JsonView& config)
{
    for (const auto& [again, first] : said_twice) {
        const auto found = config.find(again), other = config.find(first);
        if (found && other && found->json() != other->json())
            found->fail(other->shown() + ", as '" + first +
                        "' says: programs differ in which of the two they read");
    }
}

void refuse_items(const JsonView& config, const char* key, bool (*is_harmless)(const Json&),
                  const char* expected)
{
    const auto found = config.find(key);
    if (!found)
        return;
    for (const JsonView& item : found->items())
        if (!is_harmless(item.json()))
            item.fail(expected);
}

} // namespace

void refuse_other_arithmetic(const JsonView& config, const std::vector<std::string_view>& read)
{
    const auto is_read = [&](std::string_view key) {
        return std::ranges::find(read, key) != read.end();
    };
    const bool lists_rope = config.find("no_rope_layers").has_value();
    for (const char* const key : off_keys) {
        const auto found = config.find(key);
        const bool is_listed = lists_rope && key == std::string_view("no_rope_layer_interval");
        if (found && !is_listed && !is_read(key) && !is_off(found->json()))
            found->fail("none, false or 0: other values change what the model computes and are not "
                        "supported");
    }
    for (const char* const key : factor_keys)
        if (const auto found = config.find(key); found && !is_read(key) && found->json() != Json(1))
            found->fail("1: other factors are not supported");
    if (const auto base = config.find("dim_model_base"); base && !is_read("dim_model_base"))
        if (base->json() != config.at("hidden_size").json())
            base->fail("hidden_size: scaled logits are not supported");
    if (const auto causal = config.find("is_causal"); causal && !causal->flag())
        causal->fail("true");
    check_score_scale(config, is_read("attention_multiplier"), is_read("query_pre_attn_scalar"));
    if (!is_read("no_rope_layers"))
        refuse_items(
            config, "no_rope_layers",
            [](const Json& item) { return item == 1 || item == Json(true); },
            "1 for each layer: in models of this kind, Levee rotates the positions in all layers");
    refuse_items(
        config, "layer_types",
        [](const Json& item) {
            return item == "full_attention" || item == "attention" || item == "sliding_attention";
        },
        "full_attention, attention or sliding_attention: other kinds of layers are not supported");
    refuse_contradictions(config);
}

namespace {

/// Returns the keys with their values, such as "a (3), b (true)".
std::string listed(const JsonView& config, const std::vector<std::string>& keys)
{
    std::string names;
    for (const std::string& key : keys)
        names += (names.empty() ? "" : ", ") + key + " (" + config.at(key).shown() + ")";
    return names;
}

bool is_known(std::string_view key, const std::vector<std::string_view>& read)
{
    return key.starts_with('_') || has(off_keys, key) || has(factor_keys, key) ||
           has(harmless_keys, key) || has(read_keys, key) ||
           std::ranges::find(read, key) != read.end();
}

/// Throws if a key that the user wants to ignore is known, absent, or must not be ignored.
void check_ignored(const JsonView& config, const std::vector<std::string>& unknown,
                   const std::vector<std::string>& ignored)
{
    for (const std::string& key : ignored)
        if (std::ranges::find(unknown, key) == unknown.end())
            throw ModelError("--ignore-key: '" + key + "': " + config.source() +
                             (config.find(key)
                                  ? " has this key, and Levee applies it; it cannot be ignored"
                                  : " has no such key") +
                             ", expected " +
                             (unknown.empty() ? "none: all keys are known"
                                              : "one of " + listed(config, unknown)));
}

} // namespace

std::optional<std::string> refuse_unknown_keys(const JsonView& config,
                                               const std::vector<std::string_view>& read,
                                               const std::vector<std::string>& ignored)
{
    std::vector<std::string> unknown, refused;
    for (const auto& [key, value] : config.entries())
        if (!value.json().is_null() && !is_known(key, read))
            unknown.push_back(key);
    check_ignored(config, unknown, ignored);
    for (const std::string& key : unknown)
        if (std::ranges::find(ignored, key) == ignored.end())
            refused.push_back(key);
    if (!refused.empty())
        throw ModelError(config.source() + ": " + listed(config, refused) +
                         ", expected no such keys: they are unknown and may change what the model "
                         "computes; pass --ignore-key " +
                         refused.front() + " to levee import for one that does not");
    if (unknown.empty())
        return std::nullopt;
    return note_on_ignored(listed(config, unknown));
}

namespace {

/// Returns true for keys outside of text_config that do not describe the text model.
bool is_of_images(std::string_view key)
{
    constexpr std::array beginnings{"vision_", "video_", "audio_"};
    constexpr std::array names{"text_config",          "downsample_factor",
                               "ignore_index",         "image_grid_pinpoints",
                               "image_seq_length",     "multimodal_projector_bias",
                               "projector_hidden_act", "spatial_merge_size"};
    return has(names, key) || std::ranges::any_of(beginnings, [&](std::string_view beginning) {
               return key.starts_with(beginning);
           });
}

/// Returns true for keys whose values may differ between the top level and text_config.
bool may_differ(std::string_view key)
{
    constexpr std::array names{"architectures", "model_type",           "dtype",
                               "torch_dtype",   "transformers_version", "initializer_range",
                               "use_cache",     "tie_word_embeddings",  "quantization_config"};
    return key.starts_with('_') || key.ends_with("_token_id") || has(names, key);
}

} // namespace

std::optional<std::string> refuse_unknown_outer_keys(const JsonView& whole, const JsonView& text,
                                                     std::vector<std::string>& ignored)
{
    std::vector<std::string> unknown, refused;
    for (const auto& [key, value] : whole.entries()) {
        const auto inner = text.find(key);
        if (value.json().is_null() || is_of_images(key) || may_differ(key))
            continue;
        if (inner && inner->json() != value.json())
            value.fail(inner->shown() + ", the value in text_config");
        if (!inner && !has(harmless_keys, key))
            unknown.push_back(key);
    }
    std::string found;
    for (const std::string& key : unknown) {
        const bool is_ignored = std::erase(ignored, key) != 0;
        if (!is_ignored)
            refused.push_back(key);
        else
            found += (found.empty() ? "" : ", ") + key + " (" + whole.at(key).shown() + ")";
    }
    if (!refused.empty())
        throw ModelError(whole.source() + ": " + listed(whole, refused) +
                         ", expected no such keys outside of text_config: they are unknown and may "
                         "change what the model computes; pass --ignore-key " +
                         refused.front() + " to levee import for one that does not");
    return found.empty() ? std::nullopt : std::optional(note_on_ignored(found));
}

std::string note_on_ignored(const std::string& names)
{
    return "keys of its config.json were ignored on request; if one of them affects the "
           "computation, all figures are for a different model: " +
           names;
}

} // namespace levee::hf
