// SPDX-License-Identifier: Apache-2.0
// Keys of `kv_cache`.
#pragma once

#include "core/abi/boot_info.h"
#include "core/config/keys.hpp"

namespace levee::config {

inline constexpr Word kv_policy_words[] = {{"full", LEVEE_KV_FULL},
                                           {"streaming", LEVEE_KV_STREAMING},
                                           {"h2o", LEVEE_KV_H2O},
                                           {"random", LEVEE_KV_RANDOM},
                                           {"aep", LEVEE_KV_AEP},
                                           {"aerp", LEVEE_KV_AERP},
                                           {"voting", LEVEE_KV_VOTING},
                                           {"cpq", LEVEE_KV_CPQ},
                                           {"retrieval", LEVEE_KV_RETRIEVAL}};

inline constexpr std::uint64_t most_protected_tokens = 0xFFFF; // 16 bits in an eviction operation
inline constexpr std::uint64_t most_kept_tokens = 0xFFFE;      // and a spare slot beside them

inline constexpr double greatest_factor = 1048576;
inline constexpr Key threshold_keys[] = {
    real("mean", 0.0, greatest_factor, "Factor of the mean; 0, or at least 2^-20."),
    real("deviation", 0.0, greatest_factor, "Factor of the deviation; 0, or at least 2^-20."),
};

inline constexpr Word distance_words[] = {{"hamming", 0}, {"l2", 1}, {"product", 2}};
inline constexpr Word merge_words[] = {{"least", 0}, {"sum", 1}};
inline constexpr Key retrieval_keys[] = {
    count32("top_k", "Tokens that a step attends to; this or `ratio`.", {1, most_kept_tokens})
        .optional(),
    real("ratio", 0.0, 1.0, "Share of the tokens that a step attends to; this or `top_k`.")
        .optional(),
    count32("bits", "Bits of an element of a proxy.", {1, 8}),
    word("distance", distance_words, "Distance by which proxies are compared.").or_else("product"),
    word("merge", merge_words, "Distance of a group of heads: the least, or the sum.")
        .or_else("sum"),
    real("range", 0.0, 1e6, "Magnitude that key levels span; 0: each key's own largest element.")
        .or_else("0"),
};

inline constexpr Key layer_threshold_form[] = {real("", 0.0, 1e18, "Threshold of a layer.")};
inline constexpr Key threshold_forms[] = {
    real("", 0.0, 1e18, "Threshold of all layers."),
    list("", layer_threshold_form, "a number for each layer", "Thresholds by layer.")};
inline constexpr const char* threshold_form = "a number, or a list with one for each layer";
inline constexpr Key cpq_keys[] = {
    count32("key_bits", "Bits of a code of keys.", {1, 8}),
    count32("value_bits", "Bits of a code of values.", {1, 8}),
    count32("max_levels", "Levels of a channel.", {1, 64}),
    real("tolerance", 0.0, 1048576, "Share of a level's range; 0, or at least 2^-20.").or_else("0"),
    one_of("key_threshold", threshold_forms, threshold_form,
           "Magnitudes of keys below it are pruned."),
    one_of("value_threshold", threshold_forms, threshold_form,
           "Magnitudes of values below it are pruned."),
};

inline constexpr Limits refresh_intervals{1, 3'600'000'000'000'000}; // an hour
inline constexpr Key refresh_keys[] = {
    quantity("high_msb", Dimension::Time, "Upper bytes of high-score rows.", refresh_intervals)
        .optional(),
    quantity("high_lsb", Dimension::Time, "Lower bytes of high-score rows.", refresh_intervals)
        .optional(),
    quantity("low_msb", Dimension::Time, "Upper bytes of low-score rows.", refresh_intervals)
        .optional(),
    quantity("low_lsb", Dimension::Time, "Lower bytes of low-score rows.", refresh_intervals)
        .optional(),
};

inline constexpr Word score_words[] = {{"softmax", LEVEE_KV_SCORE_SOFTMAX},
                                       {"logit", LEVEE_KV_SCORE_LOGIT}};
inline constexpr Word search_words[] = {{"beside", LEVEE_KV_SEARCH_BESIDE},
                                        {"after", LEVEE_KV_SEARCH_AFTER}};
inline constexpr Word recompute_words[] = {{"off", LEVEE_KV_RECOMPUTE_OFF},
                                           {"hidden", LEVEE_KV_RECOMPUTE_HIDDEN},
                                           {"all", LEVEE_KV_RECOMPUTE_ALL},
                                           {"free", LEVEE_KV_RECOMPUTE_FREE}};
inline constexpr Word draw_words[] = {{"victim", LEVEE_KV_DRAW_VICTIM},
                                      {"rank", LEVEE_KV_DRAW_RANK}};

inline constexpr Key kv_cache_keys[] = {
    word("policy", kv_policy_words, "Policy that says which tokens stay.").or_else("full"),
    count32("budget",
            "Tokens kept per layer, sequence and KV head; every policy under which "
            "tokens leave needs it, or `ratio`.",
            {1, most_kept_tokens})
        .optional(),
    real("ratio", 0.0, 1.0,
         "Budget as a share of a prompt's tokens, which all prompts have the same number of.")
        .optional(),
    map("threshold", threshold_keys,
        "With `policy: voting`: tokens below mean x `mean` - `deviation` x deviation of a vector "
        "of probabilities get a vote; needed there.")
        .optional(),
    count32("reserved",
            "With `policy: voting`: the first so many tokens cast no votes; needed "
            "there.",
            {0, most_protected_tokens})
        .optional(),
    count32("protect", "With `policy: voting`: the first so many tokens do not leave.",
            {0, most_protected_tokens})
        .or_else("0"),
    map("retrieval", retrieval_keys,
        "Search for the nearest tokens (docs/pim_cam.md); needed with `policy: retrieval`.")
        .optional(),
    map("cpq", cpq_keys, "Pruning and quantisation (docs/pim_cpq.md); needed with `policy: cpq`.")
        .optional(),
    count32("recent_window", "The last so many tokens do not leave.", {1, most_protected_tokens})
        .or_else("1"),
    count32("sinks", "The first so many tokens do not leave.", {0, most_protected_tokens})
        .or_else("0"),
    word("draw", draw_words,
         "With `policy: random`: each eviction draws a victim, or each token a rank for life.")
        .or_else("victim"),
    word("score", score_words, "What is summed into a token's importance.").or_else("softmax"),
    word("search", search_words,
         "Who leaves is looked for beside the product that makes the scores, or after attention.")
        .or_else("beside"),
    count32("bits", "Bits of the codes of keys and values: 16, 8 or 4.", {4, 16}).or_else("16"),
    count32("view_bits", "Bits of a token's importance in the eDRAM's register file.", {1, 7})
        .or_else("4"),
    flag("recent_high", "The recent window is refreshed as high-score tokens are.")
        .or_else("false"),
    word("recompute", recompute_words,
         "With `policy: aerp`: popular tokens that are recomputed: none, as many as cost no time, "
         "all, or all without counting their time.")
        .or_else("hidden"),
    quantity("staging", Dimension::Size, "Bytes of the KV eDRAM kept free of the cache.",
             {0, std::uint64_t{1} << 30})
        .or_else("0 B"),
    map("refresh", refresh_keys, "Refresh intervals of eDRAMs with the role `kv`, by group.")
        .or_else_is("as the memory says"),
    quantity("activation_refresh", Dimension::Time,
             "Refresh interval of an eDRAM with the role `activations`.", refresh_intervals)
        .or_else_is("as the memory says"),
};

} // namespace levee::config
