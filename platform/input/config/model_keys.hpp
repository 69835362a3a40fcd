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
    text("source", "Publication of its sizes."),
    texts("notes", "Differences between a run and the model.").optional(),
    count32("dim", "Elements of a token's vector.", {1}),
    count32("hidden", "Elements of the feed-forward layer.", {1}),
    count32("layers", "Layers.", {1}),
    count32("heads", "Heads of attention.", {1}),
    count32("kv_heads", "Heads of keys and values.", {1}),
    count32("head_dim", "Elements of a head's vectors.", {1}),
    count32("vocab", "Tokens of the vocabulary.", {1}),
    count32("max_context", "Longest sequence.", {1}),
    word("norm", norm_words, "Normalisation."),
    real("norm_epsilon", 1e-12, 0.1, "Epsilon of the normalisation."),
    word("activation", activation_words, "Activation of the feed-forward layer."),
    word("position", position_words, "Form of positions."),
    word("biases", biases_words, "Matrices that have a bias."),
    flag("tied", "The classifier is the embedding's matrix."),
    word("norm_place", norm_place_words,
         "Position of norms: before each half of a layer, after it, or both.")
        .or_else("before"),
    word("head_norm", head_norm_words,
         "Norms of queries and keys before rotation: none, by head, or of all heads together.")
        .or_else("none"),
    flag("parallel",
         "Attention and the feed-forward layer read one norm, and both add to its input.")
        .or_else("false"),
    count32("rotary_dim", "Elements of a head that are rotated, the first; 0: all.").or_else("0"),
    count32("kv_latent",
            "Elements of the latent vector: the value of all heads and, with `rotary_dim` rotated "
            "elements, their key; 0: each head has keys and values.")
        .or_else("0"),
    count32("query_latent", "Elements of the compressed vector from which queries are computed; 0: "
                            "queries come from the token's vector.")
        .or_else("0"),
    count32("nope_dim", "Elements of a head's query that are not rotated, before `kv_latent`.")
        .or_else("0"),
    count32("value_dim", "Elements of a head's result, after `kv_latent`.").or_else("0"),
    real("score_cap", 0, 1e6, "Cap c of scores s, which become c tanh(s / c); 0: none.")
        .or_else("0"),
    real("logit_cap", 0, 1e6, "Cap of logits, applied in the same way; 0: none.").or_else("0"),
    count32("window", "Tokens that local layers attend to; 0: there are none.").or_else("0"),
    count32("experts", "Feed-forward networks of a layer, each `hidden` wide; 0: one for all.")
        .or_else("0"),
    count32("chosen", "Experts that each token uses.").or_else("0"),
    flag("among_chosen",
         "Weights of experts are normalised over the chosen ones, otherwise over all.")
        .or_else("false"),
    word("routing", routing_words,
         "Function that turns the router's results into scores of experts.")
        .or_else("softmax"),
    flag("router_bias", "The router has a bias.").or_else("false"),
    flag("choice_bias",
         "A bias is added to the scores when experts are chosen, but not to their weights.")
        .or_else("false"),
    flag("expert_bias", "Matrices of experts have a bias.").or_else("false"),
    count32("shared_hidden", "Width of an expert for all tokens; 0: none.").or_else("0"),
    flag("shared_gate", "Its result is multiplied by the sigmoid of an additional product.")
        .or_else("false"),
    count32("dense_layers", "Number of first layers without experts; 0: as `layer_pattern` says.")
        .or_else("0"),
    count32("dense_hidden", "Elements of the feed-forward layer in layers without experts.")
        .or_else("0"),
    flag("sinks", "Each head has a logit that counts in its softmax and attends to nothing.")
        .or_else("false"),
    real("glu_limit", 0, 1e6, "Limit of `clamped_glu`.").or_else("0"),
    real("glu_alpha", 0, 1e6, "Factor of the sigmoid in `clamped_glu`.").or_else("0"),
    word_list("layer_pattern", layer_words,
              "Kinds of layers in turn, repeated to the last layer; default: all global.")
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
    {"up", LEVEE_TENSOR_W_GATE}, // `up` begins with W_GATE if there is a gate, and otherwise with
                                 // W_UP.
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
    word("attention", attention_words, "Heads of keys and values: the shape's, or all heads.")
        .or_else("own"),
    word("weights", model_weights_words,
         "Matrices as the image has them, or in FP16, each weight its code times its scale, "
         "rounded once.")
        .or_else("stored"),
    word_list("columns_first", matrix_words,
              "Matrices of an FP16 model that are stored column by column; `up` follows the gate, "
              "and a tied classifier gets a copy of its own.")
        .optional(),
};

} // namespace levee::config
