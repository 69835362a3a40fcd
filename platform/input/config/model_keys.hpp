// SPDX-License-Identifier: Apache-2.0
// Keys of `model` and of a model's shape.
#pragma once

#include "core/abi/model_image.h"
#include "core/config/keys.hpp"
#include "platform/input/model/shape_words.hpp"
#include "platform/input/model/weight_words.hpp"

#include <algorithm>
#include <array>

namespace levee::config {

inline constexpr auto shape_weight_words = [] {
    std::array<Word, weight_words.size()> words{};
    std::ranges::transform(weight_words, words.begin(), [](const auto& word) {
        return Word{word.first, word.second};
    });
    return words;
}();

inline constexpr Key shape_keys[] = {
    text("name", "Name of the model."),
    text("source", "Publication that states the model's sizes."),
    texts("notes", "Differences between a run and the model.").optional(),
    count32("dim", "Width of the model: elements of a token's vector between layers.", {1}),
    count32("hidden", "Width of the feed-forward network, in elements.", {1}),
    count32("layers", "Number of layers.", {1}),
    count32("heads", "Number of attention heads.", {1}),
    count32("kv_heads", "Number of key/value heads.", {1}),
    count32("head_dim", "Elements of a head's vectors.", {1}),
    count32("vocab", "Number of tokens in the vocabulary.", {1}),
    count32("max_context", "Longest sequence, in tokens.", {1}),
    word("norm", norm_words, "Type of normalisation."),
    real("norm_epsilon", 1e-12, 0.1, "Epsilon of the normalisation."),
    word("activation", activation_words, "Activation function of the feed-forward network."),
    word("position", position_words, "Type of position encoding."),
    word("biases", biases_words, "Matrices that have a bias."),
    flag("tied", "The classifier uses the embedding's matrix."),
    word("norm_place", norm_place_words,
         "Norms before attention and the feed-forward network, after each of them, or both.")
        .or_else("before"),
    word("head_norm", head_norm_words,
         "Norms of queries and keys before rotation: none, one per head, or one across all heads.")
        .or_else("none"),
    flag("parallel",
         "Attention and the feed-forward network read the same norm's output in parallel.")
        .or_else("false"),
    count32("rotary_dim", "Number of a head's first elements that are rotated; 0: all.")
        .or_else("0"),
    count32("kv_latent",
            "Elements of the latent vector: the value of all heads and, with `rotary_dim` rotated "
            "elements, their key; 0: no latent attention.")
        .or_else("0"),
    count32("query_latent", "Elements of the compressed vector from which queries are computed; 0: "
                            "queries come from the token's vector.")
        .or_else("0"),
    count32("nope_dim",
            "Elements of a head's query that are not rotated, before their product that yields "
            "`kv_latent` elements.")
        .or_else("0"),
    count32("value_dim", "Elements of a head's result that are computed from the latent vector.")
        .or_else("0"),
    real("score_cap", 0, 1e6, "Cap c of attention scores s, which become c tanh(s / c); 0: none.")
        .or_else("0"),
    real("logit_cap", 0, 1e6, "Cap of logits, by the formula of `score_cap`; 0: none.")
        .or_else("0"),
    count32("window", "Tokens that local layers attend to; 0: no layer is local.").or_else("0"),
    count32("experts", "Experts of a layer, each `hidden` wide; 0: one network for all tokens.")
        .or_else("0"),
    count32("chosen", "Experts that each token uses.").or_else("0"),
    flag("among_chosen",
         "Weights of experts are normalised over the chosen experts only, not over all.")
        .or_else("false"),
    word("routing", routing_words,
         "Function that turns the router's results into scores of experts.")
        .or_else("softmax"),
    flag("router_bias", "The router has a bias.").or_else("false"),
    flag("choice_bias",
         "A bias is added to experts' scores to choose the experts, but not to weight them.")
        .or_else("false"),
    flag("expert_bias", "Matrices of experts have a bias.").or_else("false"),
    count32("shared_hidden", "Width of the shared expert, which all tokens use; 0: none.")
        .or_else("0"),
    flag("shared_gate",
         "The shared expert's result is multiplied by the sigmoid of an additional product.")
        .or_else("false"),
    count32("dense_layers",
            "Number of layers at the start that have no experts, in addition to dense layers of "
            "`layer_pattern`.")
        .or_else("0"),
    count32("dense_hidden", "Elements of the feed-forward layer in layers without experts.")
        .or_else("0"),
    flag("sinks", "Each head's softmax includes a learned logit that belongs to no token.")
        .or_else("false"),
    real("glu_limit", 0, 1e6, "Limit to which `clamped_glu` clamps its inputs.").or_else("0"),
    real("glu_alpha", 0, 1e6, "Factor within the sigmoid of `clamped_glu`.").or_else("0"),
    word_list("layer_pattern", layer_words,
              "Kinds of successive layers, repeated until the last layer; default: all global.")
        .optional(),
    word("weights", shape_weight_words, "Type of the matrices' elements."),
    count32("group", "Elements of a row that share a scale; 0: the whole row.").or_else("0"),
};

inline constexpr Word model_weights_words[] = {{"stored", false}, {"fp16", true}};
inline constexpr Word attention_words[] = {{"own", false}, {"mha", true}};

/// Groups of matrices that a layer's operations use together, each named after its first tensor.
inline constexpr Word matrix_words[] = {
    {"qkv", LEVEE_TENSOR_WQ},
    {"output", LEVEE_TENSOR_WO},
    {"up", LEVEE_TENSOR_W_GATE}, // The group `up` starts at W_GATE in a gated network, otherwise
                                 // at W_UP.
    {"down", LEVEE_TENSOR_W_DOWN},
    {"classifier", LEVEE_TENSOR_CLASSIFIER}};

inline constexpr Key image_key = text("image", "File of a model image (docs/model.md).");
inline constexpr Key shape_key =
    map("shape", shape_keys,
        "Sizes of a model without weights, for `data: timing_only`: a map, a file of "
        "scenarios/models/, or a Hugging Face config.json or its folder (docs/models.md).")
        .alone();

/// Keys of a draft model, which is an image or a shape, as the main model is.
inline constexpr Key draft_keys[] = {image_key, shape_key};

inline constexpr Key model_keys[] = {
    image_key,
    shape_key,
    count32("max_context", "Longest sequence, in place of the shape's.", {1})
        .or_else_is("the shape's"),
    word("attention", attention_words,
         "Number of key/value heads: the shape's (`own`), or one for each query head (`mha`).")
        .or_else("own"),
    word("weights", model_weights_words,
         "Format of matrices in memory: as stored in the image, or FP16, computed as code times "
         "scale with one rounding.")
        .or_else("stored"),
    word_list("columns_first", matrix_words,
              "Matrices of an FP16 model to store column by column; `up` includes the gate, and "
              "a tied classifier becomes a separate copy.")
        .optional(),
};

} // namespace levee::config
