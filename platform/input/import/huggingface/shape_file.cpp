// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/shape_file.hpp"

#include "platform/input/model/weight_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace levee::hf {

namespace {

/// In double quotes: JSON's strings are YAML's, too, but for escapes of characters beyond U+FFFF.
/// Bytes that are no UTF-8 are left out, so that a name is no longer than it was.
std::string yaml_text(const std::string& text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore);
}

/// The fewest digits that are this number.
std::string shortest(float value)
{
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

const char* biases_word(const ModelShape& shape)
{
    return shape.biases ? "all" : shape.qkv_biases ? "qkv" : "none";
}

const char* activation_word(levee_activation activation)
{
    switch (activation) {
    case LEVEE_ACTIVATION_RELU:
        return "relu";
    case LEVEE_ACTIVATION_GELU:
        return "gelu";
    default:
        return "silu_glu";
    }
}

const char* position_word(levee_position position)
{
    switch (position) {
    case LEVEE_POSITION_LEARNED:
        return "learned";
    case LEVEE_POSITION_ROPE_PAIRS:
        return "rope_pairs";
    default:
        return "rope_halves";
    }
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
         << "\nmax_context: " << shape.max_context
         << "\nnorm: " << (shape.norm == LEVEE_NORM_LAYER ? "layer" : "rms")
         << "\nnorm_epsilon: " << shortest(shape.norm_epsilon)
         << "\nactivation: " << activation_word(shape.activation)
         << "\nposition: " << position_word(shape.position) << "\nbiases: " << biases_word(shape)
         << "\ntied: " << (shape.tied ? "true" : "false")
         << "\nweights: " << weights_word(weights.type) << "\n";
    if (weights.group != 0)
        text << "group: " << weights.group << "\n";
    if (!config.notes.empty())
        text << "notes:\n";
    for (const std::string& note : config.notes)
        text << "  - " << yaml_text(note) << "\n";
    return text.str();
}

std::uint64_t parameters_of(const Config& config)
{
    std::uint64_t count = config.unused_parameters;
    for (const TensorGroup& group : required_tensors(config.shape))
        for (const TensorSpec& spec : group)
            if (spec.role != TensorRole::phases)
                count += std::uint64_t{spec.rows} * spec.cols;
    return count;
}

} // namespace levee::hf
