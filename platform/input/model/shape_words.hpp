// SPDX-License-Identifier: Apache-2.0
// Names for properties of a shape in scenarios.
#pragma once

#include "core/abi/model_image.h"
#include "core/config/keys.hpp"
#include "platform/input/model/model_shape.hpp"

#include <span>

namespace levee {

using config::Word;

inline constexpr Word norm_words[] = {{"rms", LEVEE_NORM_RMS}, {"layer", LEVEE_NORM_LAYER}};
inline constexpr Word norm_place_words[] = {
    {"before", static_cast<std::int64_t>(NormPlace::before)},
    {"after", static_cast<std::int64_t>(NormPlace::after)},
    {"both", static_cast<std::int64_t>(NormPlace::both)}};
inline constexpr Word head_norm_words[] = {{"none", static_cast<std::int64_t>(HeadNorm::none)},
                                           {"head", static_cast<std::int64_t>(HeadNorm::head)},
                                           {"all", static_cast<std::int64_t>(HeadNorm::all)}};
inline constexpr Word activation_words[] = {{"silu_glu", LEVEE_ACTIVATION_SILU_GLU},
                                            {"relu", LEVEE_ACTIVATION_RELU},
                                            {"gelu", LEVEE_ACTIVATION_GELU},
                                            {"gelu_glu", LEVEE_ACTIVATION_GELU_GLU},
                                            {"gelu_tanh", LEVEE_ACTIVATION_GELU_TANH},
                                            {"gelu_tanh_glu", LEVEE_ACTIVATION_GELU_TANH_GLU},
                                            {"relu_squared", LEVEE_ACTIVATION_RELU_SQUARED},
                                            {"relu_glu", LEVEE_ACTIVATION_RELU_GLU},
                                            {"clamped_glu", LEVEE_ACTIVATION_CLAMPED_GLU}};
static_assert(std::size(activation_words) == LEVEE_ACTIVATION_END - 1);
inline constexpr Word position_words[] = {{"rope_pairs", LEVEE_POSITION_ROPE_PAIRS},
                                          {"rope_halves", LEVEE_POSITION_ROPE_HALVES},
                                          {"learned", LEVEE_POSITION_LEARNED}};
/// The combined flags of enum levee_layer_flag.
inline constexpr Word layer_words[] = {
    {"global", 0},
    {"local", LEVEE_LAYER_LOCAL},
    {"unrotated", LEVEE_LAYER_UNROTATED},
    {"local_unrotated", LEVEE_LAYER_LOCAL | LEVEE_LAYER_UNROTATED},
    {"dense", LEVEE_LAYER_DENSE},
    {"local_dense", LEVEE_LAYER_LOCAL | LEVEE_LAYER_DENSE},
    {"unrotated_dense", LEVEE_LAYER_UNROTATED | LEVEE_LAYER_DENSE},
    {"local_unrotated_dense", LEVEE_LAYER_LOCAL | LEVEE_LAYER_UNROTATED | LEVEE_LAYER_DENSE}};
/// The matrices that have a bias.
enum class BiasPlace { none, qkv, attention, all };
inline constexpr Word biases_words[] = {
    {"none", static_cast<std::int64_t>(BiasPlace::none)},
    {"qkv", static_cast<std::int64_t>(BiasPlace::qkv)},
    {"attention", static_cast<std::int64_t>(BiasPlace::attention)},
    {"all", static_cast<std::int64_t>(BiasPlace::all)}};
inline constexpr Word routing_words[] = {{"softmax", false}, {"sigmoid", true}};

/// Returns the word for a value; empty if it has none.
constexpr const char* word_of(std::span<const Word> words, std::int64_t value)
{
    for (const Word& word : words)
        if (word.value == value)
            return word.text;
    return "";
}

} // namespace levee
