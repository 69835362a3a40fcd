// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/arithmetic_keys.hpp"

#include "platform/input/import/gguf/cursor.hpp"

#include <algorithm>
#include <array>

namespace levee::gguf {

namespace {

/// A key with a number that changes the model's computation, unless the number is `neutral`.
struct NeutralNumber {
    const char* key;
    double neutral;
    double also = neutral; ///< another neutral value
};
constexpr std::array neutral_numbers{NeutralNumber{"expert_count", 0},
                                     NeutralNumber{"expert_used_count", 0},
                                     NeutralNumber{"expert_shared_count", 0},
                                     NeutralNumber{"expert_group_count", 0, 1},
                                     NeutralNumber{"expert_group_used_count", 0, 1},
                                     NeutralNumber{"expert_shared_feed_forward_length", 0},
                                     NeutralNumber{"interleave_moe_layer_step", 1, 0},
                                     NeutralNumber{"leading_dense_block_count", 0},
                                     NeutralNumber{"attention.clamp_kqv", 0},
                                     NeutralNumber{"attention.max_alibi_bias", 0},
                                     NeutralNumber{"attention.scale", 0},
                                     NeutralNumber{"attention.output_scale", 0},
                                     NeutralNumber{"attention.temperature_scale", 0},
                                     NeutralNumber{"attention.temperature_length", 0},
                                     NeutralNumber{"attention.q_lora_rank", 0},
                                     NeutralNumber{"attention.kv_lora_rank", 0},
                                     NeutralNumber{"attention.shared_kv_layers", 0},
                                     NeutralNumber{"attention.group_norm_groups", 0},
                                     NeutralNumber{"attn_logit_softcapping", 0},
                                     NeutralNumber{"final_logit_softcapping", 0},
                                     NeutralNumber{"router_logit_softcapping", 0},
                                     NeutralNumber{"nextn_predict_layers", 0},
                                     NeutralNumber{"n_deepstack_layers", 0},
                                     NeutralNumber{"moe_every_n_layers", 0, 1},
                                     NeutralNumber{"logit_scale", 1},
                                     NeutralNumber{"residual_scale", 1},
                                     NeutralNumber{"embedding_scale", 1},
                                     NeutralNumber{"rope.scaling.yarn_log_multiplier", 0},
                                     NeutralNumber{"rope.scaling.yarn_ext_factor", 1},
                                     NeutralNumber{"rope.scaling.yarn_attn_factor", 1}};

struct NeutralFlag {
    const char* key;
    bool neutral;
};
constexpr std::array neutral_flags{NeutralFlag{"use_parallel_residual", false},
                                   NeutralFlag{"swin_norm", false},
                                   NeutralFlag{"attention.causal", true}};

/// Keys that change the model's computation whatever their value is.
constexpr std::array refused_keys{"rope.dimension_sections", "rope.freq_base_swa",
                                  "attention.sliding_window_pattern"};

/// Keys that other code reads, and keys that only describe where the file comes from.
constexpr std::array other_keys{"context_length",
                                "pooling_type",
                                "embedding_length",
                                "block_count",
                                "feed_forward_length",
                                "expert_feed_forward_length",
                                "expert_gating_func",
                                "expert_weights_norm",
                                "expert_weights_scale",
                                "vocab_size",
                                "tensor_data_layout",
                                "attention.head_count",
                                "attention.head_count_kv",
                                "attention.key_length",
                                "attention.value_length",
                                "attention.layer_norm_epsilon",
                                "attention.layer_norm_rms_epsilon",
                                "attention.sliding_window",
                                "rope.dimension_count",
                                "rope.freq_base",
                                "rope.scale_linear",
                                "rope.scaling.type",
                                "rope.scaling.factor",
                                "rope.scaling.attn_factor",
                                "rope.scaling.original_context_length",
                                "rope.scaling.finetuned",
                                "rope.scaling.yarn_beta_fast",
                                "rope.scaling.yarn_beta_slow"};

template <typename Keys> bool has(const Keys& keys, std::string_view key)
{
    return std::ranges::find(keys, key) != keys.end();
}

/// Prefix of keys for state-space layers. Models with such layers are recognised by their tensors
/// instead, because Granite models without such layers also have the keys.
constexpr std::string_view state_space = "ssm.";

bool is_listed(std::string_view key)
{
    return key.starts_with(state_space) || has(other_keys, key) || has(refused_keys, key) ||
           std::ranges::find(neutral_numbers, key, &NeutralNumber::key) != neutral_numbers.end() ||
           std::ranges::find(neutral_flags, key, &NeutralFlag::key) != neutral_flags.end();
}

std::string listed(const std::vector<std::string>& keys)
{
    std::string names;
    for (const std::string& key : keys) {
        names += (names.empty() ? "" : ", ") + printable(key);
    }
    return names;
}

} // namespace

void refuse_other_arithmetic(const File& file, const Family& family)
{
    const auto own = own_keys(family);
    const std::string prefix = std::string(family.name) + ".";
    for (const NeutralNumber& number : neutral_numbers) {
        const std::string key = prefix + number.key;
        const double value = file.number(key).value_or(number.neutral);
        if (!has(own, number.key) && value != number.neutral && value != number.also) {
            file.fail_key(key, number_text(*file.number(key)) +
                                   ": not supported, expected none, or " +
                                   number_text(number.neutral));
        }
    }
    for (const NeutralFlag& flag : neutral_flags) {
        const std::string key = prefix + flag.key;
        if (!has(own, flag.key) && file.flag(key).value_or(flag.neutral) != flag.neutral) {
            file.fail_key(key, std::string("not supported, expected none, or ") +
                                   (flag.neutral ? "true" : "false"));
        }
    }
    for (const char* const key : refused_keys) {
        if (!has(own, key) && file.has(prefix + key)) {
            file.fail_key(prefix + key, "not supported, expected none");
        }
    }
}

void refuse_unknown_keys(const File& file, const Family& family,
                         const std::vector<std::string>& ignored, std::vector<std::string>& notes)
{
    const auto own = own_keys(family);
    const std::string prefix = std::string(family.name) + ".";
    std::vector<std::string> unknown;
    for (const std::string& key : file.keys_of(prefix)) {
        const std::string_view behind = std::string_view(key).substr(prefix.size());
        if (!is_listed(behind) && !has(own, behind)) {
            unknown.push_back(key);
        }
    }
    for (const std::string& key : ignored) {
        if (std::ranges::find(unknown, key) == unknown.end()) {
            file.fail_key(
                key,
                "given for --ignore-key, which takes only unknown keys of the file; expected " +
                    (unknown.empty() ? "none" : "one of " + listed(unknown)));
        }
    }
    for (const std::string& key : unknown) {
        if (std::ranges::find(ignored, key) == ignored.end()) {
            file.fail_key(printable(key), "expected no such key: it is unknown and may change what "
                                          "the model computes; pass --ignore-key " +
                                              printable(key) + " if it does not");
        }
    }
    if (!unknown.empty()) {
        notes.push_back("keys were ignored on request; if one of them affects the computation, all "
                        "figures are for a different model: " +
                        listed(unknown));
    }
}

} // namespace levee::gguf
