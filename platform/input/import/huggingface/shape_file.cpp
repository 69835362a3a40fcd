// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/shape_file.hpp"

#include "platform/input/model/shape_words.hpp"
#include "platform/input/model/weight_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

namespace levee::hf {

namespace {

/// Quotes a text for YAML. JSON strings are valid YAML, except for escapes beyond U+FFFF. Bytes
/// that are not UTF-8 are dropped, so that a name does not grow.
std::string yaml_text(const std::string& text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore);
}

/// Returns the number with the fewest digits that identify it.
std::string shortest(float value)
{
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

const char* biases_word(const ModelShape& shape)
{
    const BiasPlace place = shape.biases             ? BiasPlace::all
                            : shape.attention_biases ? BiasPlace::attention
                            : shape.qkv_biases       ? BiasPlace::qkv
                                                     : BiasPlace::none;
    return word_of(biases_words, static_cast<std::int64_t>(place));
}

/// Returns the number of layers without experts at the beginning of the model.
std::uint32_t first_dense(const std::vector<std::uint32_t>& flags)
{
    const auto found = std::ranges::find_if(
        flags, [](std::uint32_t flag) { return (flag & LEVEE_LAYER_DENSE) == 0; });
    return static_cast<std::uint32_t>(found - flags.begin());
}

/// Writes the properties of a mixture of experts.
void put_mixture(std::ostream& text, const ModelShape& shape)
{
    text << "experts: " << shape.experts << "\nchosen: " << shape.chosen
         << "\namong_chosen: " << (shape.among_chosen ? "true" : "false") << "\n";
    if (shape.sigmoid)
        text << "routing: sigmoid\n";
    for (const auto& [key, flag] :
         {std::pair{"router_bias", shape.router_bias}, std::pair{"choice_bias", shape.choice_bias},
          std::pair{"expert_bias", shape.expert_biases}})
        if (flag)
            text << key << ": true\n";
    if (shape.shared_hidden != 0)
        text << "shared_hidden: " << shape.shared_hidden << "\n";
    if (shape.shared_gate)
        text << "shared_gate: true\n";
    if (shape.dense_hidden != 0)
        text << "dense_layers: " << first_dense(shape.layer_flags)
             << "\ndense_hidden: " << shape.dense_hidden << "\n";
}

/// Returns the length of the shortest pattern that the layers repeat.
std::size_t period_of(const std::vector<std::uint32_t>& flags)
{
    std::size_t period = 1;
    const auto repeats = [&] {
        for (std::size_t i = period; i < flags.size(); ++i)
            if (flags[i] != flags[i - period])
                return false;
        return true;
    };
    while (!repeats())
        ++period;
    return period;
}

/// Writes the properties that most models lack, if this model has them.
void put_structure(std::ostream& text, const ModelShape& shape)
{
    if (shape.norm_place != NormPlace::before)
        text << "norm_place: "
             << word_of(norm_place_words, static_cast<std::int64_t>(shape.norm_place)) << "\n";
    if (shape.head_norm != HeadNorm::none)
        text << "head_norm: "
             << word_of(head_norm_words, static_cast<std::int64_t>(shape.head_norm)) << "\n";
    if (shape.parallel)
        text << "parallel: true\n";
    if (shape.rotary_dim != 0)
        text << "rotary_dim: " << shape.rotary_dim << "\n";
    for (const auto& [key, size] :
         {std::pair{"kv_latent", shape.kv_latent}, std::pair{"query_latent", shape.query_latent},
          std::pair{"nope_dim", shape.nope_dim}, std::pair{"value_dim", shape.value_dim}})
        if (size != 0)
            text << key << ": " << size << "\n";
    if (shape.score_cap != 0.0F)
        text << "score_cap: " << shortest(shape.score_cap) << "\n";
    if (shape.logit_cap != 0.0F)
        text << "logit_cap: " << shortest(shape.logit_cap) << "\n";
    if (shape.window != 0)
        text << "window: " << shape.window << "\n";
    if (shape.sinks)
        text << "sinks: true\n";
    if (shape.activation == LEVEE_ACTIVATION_CLAMPED_GLU)
        text << "glu_limit: " << shortest(shape.glu_limit)
             << "\nglu_alpha: " << shortest(shape.glu_alpha) << "\n";
    if (shape.experts != 0)
        put_mixture(text, shape);
    std::vector<std::uint32_t> flags = shape.layer_flags;
    for (std::uint32_t layer = 0; layer < first_dense(shape.layer_flags); ++layer)
        flags[layer] &= ~LEVEE_LAYER_DENSE; // `first_dense` states it already
    if (std::ranges::all_of(flags, [](std::uint32_t flag) { return flag == 0; }))
        return;
    text << "layer_pattern:\n";
    for (std::size_t layer = 0; layer < period_of(flags); ++layer)
        text << "  - " << word_of(layer_words, flags[layer]) << "\n";
}

const char* weights_word(levee_type type)
{
    return std::ranges::find(weight_words, type, [](const auto& word) { return word.second; })
        ->first;
}

} // namespace

std::string shape_yaml(const Config& config, const WeightFormat& weights)
{
    const ModelShape& shape = config.shape;
    std::ostringstream text;
    text << "name: " << yaml_text(config.name) << "\nsource: " << yaml_text(config.origin)
         << "\ndim: " << shape.dim << "\nhidden: " << shape.hidden << "\nlayers: " << shape.layers
         << "\nheads: " << shape.heads << "\nkv_heads: " << shape.kv_heads
         << "\nhead_dim: " << shape.head_dim << "\nvocab: " << shape.vocab
         << "\nmax_context: " << shape.max_context << "\nnorm: " << word_of(norm_words, shape.norm)
         << "\nnorm_epsilon: " << shortest(shape.norm_epsilon)
         << "\nactivation: " << word_of(activation_words, shape.activation)
         << "\nposition: " << word_of(position_words, shape.position)
         << "\nbiases: " << biases_word(shape) << "\ntied: " << (shape.tied ? "true" : "false")
         << "\nweights: " << weights_word(weights.type) << "\n";
    put_structure(text, shape);
    if (weights.group != 0)
        text << "group: " << weights.group << "\n";
    if (!config.notes.empty())
        text << "notes:\n";
    for (const std::string& note : config.notes)
        text << "  - " << yaml_text(note) << "\n";
    return text.str();
}

} // namespace levee::hf
