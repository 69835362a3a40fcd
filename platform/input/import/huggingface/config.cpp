// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/config.hpp"

#include "platform/input/import/huggingface/arithmetic_keys.hpp"
#include "platform/input/import/huggingface/optional_keys.hpp"
#include "platform/input/import/huggingface/rope.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/most_layers.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

namespace levee::hf {

namespace {

constexpr double default_local_theta = 10000.0; // transformers'

const Family& family_of(const JsonView& config, Part part)
{
    std::optional<JsonView> named = config.find("architectures");
    if (named && !named->items().empty())
        named = named->items().front();
    else
        named = config.at("model_type");
    const Family* const family = find_family(named->text());
    if (const char* const why = why_refused(named->text()))
        named->fail(std::string("another family: ") + why + ", which Levee does not support");
    if (family == nullptr)
        named->fail("one of " + family_names(part == Part::weights) + ": no other is supported");
    if (part == Part::weights && !family->whole)
        named->fail("one of " + family_names(true) +
                    ": only the shape of this family can be imported, as " + family->why_not_whole);
    return *family;
}

/// Refuses a key unless its value is one of the neutral `values`.
void require_value(const JsonView& config, const std::string& key, const std::vector<Json>& values,
                   const std::string& expected)
{
    const auto found = config.find(key);
    if (found && std::find(values.begin(), values.end(), found->json()) == values.end())
        found->fail(expected);
}

void refuse_experts(const JsonView& config, const Family& family)
{
    const FamilyKeys& keys = family.keys;
    const auto is_read = [](const char* own, std::string_view key) {
        return own != nullptr && key == own;
    };
    for (const char* key :
         {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"})
        if (!is_read(keys.experts, key))
            require_value(config, key, {0, 1}, "none: this family has no mixture of experts");
    for (const char* key : {"decoder_sparse_step", "moe_layer_freq", "moe_layer_interval"})
        if (!is_read(keys.sparse_every, key))
            require_value(config, key, {1}, "1: every layer has experts");
    if (keys.dense_layers == nullptr)
        require_value(config, "mlp_only_layers", {Json::array()}, "none: every layer has experts");
    for (const char* key : {"n_group", "topk_group"})
        require_value(config, key, {1}, "1: experts in groups are not supported");
    if (keys.scoring == nullptr)
        require_value(config, "scoring_func", {family.sigmoid ? "sigmoid" : "softmax"},
                      family.sigmoid ? "sigmoid" : "softmax");
}

/// Returns the width of the shared expert, which processes all tokens; 0: there is none.
std::uint32_t shared_hidden(const JsonView& config, const Family& family, OptionalKeys& optional,
                            const ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    if (keys.shared_hidden != nullptr)
        return config.at(keys.shared_hidden).count();
    if (keys.shared_count == nullptr)
        return 0;
    const std::uint64_t count = optional.count(keys.shared_count, family.shared_count);
    if (count * shape.hidden > UINT32_MAX)
        config.at(keys.shared_count).fail("at most " + std::to_string(UINT32_MAX / shape.hidden));
    return static_cast<std::uint32_t>(count * shape.hidden);
}

bool is_sigmoid(const JsonView& config, const Family& family)
{
    const auto found =
        family.keys.scoring == nullptr ? std::nullopt : config.find(family.keys.scoring);
    if (!found)
        return family.sigmoid;
    if (found->text() != "softmax" && found->text() != "sigmoid")
        found->fail("softmax or sigmoid");
    return found->text() == "sigmoid";
}

/// Returns whether a model has no experts, although its family may have some. The key is then null;
/// or it is 0, and one network for all tokens remains.
bool has_none(const JsonView& config, const Family& family)
{
    if (!family.maybe_dense || !config.json().contains(family.keys.experts))
        return false;
    const auto found = config.find(family.keys.experts);
    return !found || (family.keys.shared_hidden != nullptr && found->json() == Json(0));
}

void read_experts(const JsonView& config, const Family& family, OptionalKeys& optional,
                  ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    if (keys.experts == nullptr)
        return;
    if (has_none(config, family)) {
        shape.hidden =
            keys.shared_hidden == nullptr ? shape.hidden : config.at(keys.shared_hidden).count();
        return;
    }
    shape.experts = config.at(keys.experts).count();
    if (shape.experts == 0)
        config.at(keys.experts).fail("1 or more: this family has experts");
    shape.chosen = config.at(keys.chosen).count();
    if (keys.expert_hidden != nullptr)
        shape.hidden = config.at(keys.expert_hidden).count();
    shape.among_chosen = keys.among_chosen == nullptr
                             ? family.among_chosen
                             : optional.flag(keys.among_chosen, family.among_chosen);
    if (family.alone_as_scored && shape.chosen == 1)
        shape.among_chosen = false;
    const auto scale = family.scaled_or_shared ? config.find(keys.expert_scale) : std::nullopt;
    if (scale && shape.among_chosen && scale->real() != 1.0)
        scale->fail("1 if norm_topk_prob is set: programs differ in whether they multiply the "
                    "experts' weights by it");
    shape.sigmoid = is_sigmoid(config, family);
    shape.router_bias = family.router_bias;
    shape.choice_bias = family.choice_bias;
    shape.expert_biases = family.expert_biases;
    shape.shared_hidden = shared_hidden(config, family, optional, shape);
    shape.shared_gate = family.shared_gate && shape.shared_hidden != 0;
}

/// Returns the period, in layers, with which a property recurs: the value of `key`, or `without` if
/// the key is absent.
std::uint32_t period_of(const JsonView& config, const char* key, std::uint32_t without)
{
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    if (found && found->count() == 0)
        found->fail("1 or more layers");
    return found ? found->count() : without;
}

/// Returns the layers that `config` lists as layers without experts.
std::vector<bool> listed_dense(const JsonView& config, const Family& family, std::uint32_t layers)
{
    std::vector<bool> dense(layers);
    const char* const key = family.keys.dense_layers;
    if (const auto listed = key == nullptr ? std::nullopt : config.find(key))
        for (const JsonView& item : listed->items()) {
            if (item.count() >= layers)
                item.fail("a layer, 0 to " + std::to_string(layers - 1));
            dense[item.count()] = true;
        }
    return dense;
}

/// Returns the last layer that may have experts; `layers` if there is no limit.
std::uint32_t last_sparse(const JsonView& config, const Family& family, std::uint32_t layers)
{
    const char* const key = family.keys.last_sparse;
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    return !found || found->json() == Json(-1) ? layers : found->count();
}

/// Finds the layers without experts. The width of their feed-forward networks is intermediate_size.
void read_dense_layers(const JsonView& config, const Family& family, OptionalKeys& optional,
                       ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    if (shape.experts == 0)
        return;
    const std::uint32_t first =
        keys.first_sparse == nullptr ? 0 : optional.count(keys.first_sparse, family.first_sparse);
    const std::uint32_t last = last_sparse(config, family, shape.layers);
    const std::uint32_t every = period_of(config, keys.sparse_every, 1);
    std::vector<bool> dense = listed_dense(config, family, shape.layers);
    for (std::uint32_t i = 0; i < shape.layers; ++i)
        dense[i] = dense[i] || i < first || i > last || (i + 1) % every != 0;
    if (std::ranges::find(dense, true) == dense.end())
        return;
    shape.dense_hidden = config.at("intermediate_size").count();
    shape.layer_flags.resize(shape.layers);
    for (std::uint32_t i = 0; i < shape.layers; ++i)
        shape.layer_flags[i] |= dense[i] ? std::uint32_t{LEVEE_LAYER_DENSE} : 0U;
}

/// Returns the window of local layers in tokens; 0: none.
std::uint32_t window_of(const JsonView& config, const Family& family, OptionalKeys& optional)
{
    if (!config.flag("use_sliding_window", family.slides))
        return 0;
    // A null for this key also means that there is no window.
    const bool is_said = config.json().contains("sliding_window");
    return is_said ? config.count("sliding_window", 0)
                   : optional.count("sliding_window", family.window);
}

bool is_global(std::uint32_t layer, std::uint32_t every)
{
    return every != 0 && (layer + 1) % every == 0;
}

/// Determines the local layers. A list may name them. Without a list, they begin with some layer,
/// and the last layer of each period is global if there is a period.
std::vector<bool> local_layers(const JsonView& config, const Family& family,
                               const ModelShape& shape)
{
    std::vector<bool> local(shape.layers);
    if (const auto listed = config.find("layer_types")) {
        const std::vector<JsonView> types = listed->items();
        if (types.size() != shape.layers)
            listed->fail("one for each of the " + std::to_string(shape.layers) + " layers");
        for (std::size_t i = 0; i < types.size(); ++i)
            local[i] = types[i].text() == "sliding_attention";
        return local;
    }
    const std::uint32_t every = period_of(config, family.keys.pattern, family.global_every);
    const std::uint32_t first =
        family.slides ? 0 : config.count("max_window_layers", family.local_from); // Qwen's default
    for (std::uint32_t i = 0; i < shape.layers; ++i)
        local[i] = i >= first && !is_global(i, every);
    return local;
}

std::vector<bool> rotated_layers(const JsonView& config, const Family& family, std::uint32_t layers)
{
    const FamilyKeys& keys = family.keys;
    std::vector<bool> rotated(layers, true);
    const auto listed =
        keys.rotated_layers == nullptr ? std::nullopt : config.find(keys.rotated_layers);
    const std::vector<JsonView> items = listed ? listed->items() : std::vector<JsonView>();
    if (listed && items.size() != layers)
        listed->fail("one for each of the " + std::to_string(layers) + " layers");
    const std::uint32_t every = period_of(config, keys.unrotated_every, family.unrotated_every);
    const auto is_one = [](const JsonView& item, int value) {
        return item.json() == Json(value) || item.json() == Json(value != 0);
    };
    for (const JsonView& item : items)
        if (!is_one(item, 0) && !is_one(item, 1))
            item.fail("1 for a layer that is rotated, 0 for one that is not");
    const char* const kind = keys.position_kind;
    const bool all = kind == nullptr || (config.find(kind) && config.at(kind).text() == "rope");
    for (std::uint32_t i = 0; i < layers; ++i)
        rotated[i] = all && (listed ? !is_one(items[i], 0) : !is_global(i, every));
    return rotated;
}

/// Returns whether rope_parameters has separate entries for local layers.
bool has_local_parameters(const JsonView& config)
{
    const auto parameters = config.find("rope_parameters");
    return parameters && parameters->find(local_layers_key);
}

/// Returns whether local layers have their own rotation.
bool has_local_rope(const JsonView& config, const Family& family)
{
    return family.keys.local_theta != nullptr || has_local_parameters(config) ||
           (family.local_unscaled && scales_positions(config));
}

void read_layers(const JsonView& config, const Family& family, OptionalKeys& optional,
                 Config& model)
{
    ModelShape& shape = model.shape;
    const std::uint32_t window = window_of(config, family, optional);
    if (family.lists_attention || (family.lists_local && window != 0 && window < shape.max_context))
        (void)config.at("layer_types");
    const std::vector<bool> local = local_layers(config, family, shape);
    if (const auto types = config.find("layer_types"); types && window == 0)
        for (const JsonView& type : types->items())
            if (type.text() == "sliding_attention")
                type.fail("full_attention, as the model has no window (sliding_window)");
    const std::vector<bool> turned = rotated_layers(config, family, shape.layers);
    const bool slides =
        window != 0 && std::ranges::find(local, true) != local.end() &&
        (window < shape.max_context || has_local_rope(config, family) || family.global_unrotated);
    shape.layer_flags.resize(shape.layers);
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
        const bool unrotated =
            family.global_unrotated && (window == 0 ? !family.rotated_alone : !local[i]);
        const bool rotated = turned[i] && !unrotated;
        shape.layer_flags[i] = (slides && local[i] ? std::uint32_t{LEVEE_LAYER_LOCAL} : 0U) |
                               (rotated ? 0U : std::uint32_t{LEVEE_LAYER_UNROTATED});
    }
    if (std::ranges::all_of(shape.layer_flags, [](std::uint32_t flags) { return flags == 0; }))
        shape.layer_flags.clear();
    if (!slides)
        return;
    shape.window = window;
}

/// Returns whether Q, K, V and the output have biases, according to attention_bias or to the
/// family's own key.
bool has_attention_biases(const JsonView& config, const Family& family)
{
    if (family.keys.attention_biases != nullptr)
        return config.flag(family.keys.attention_biases, true);
    return family.bias_keys != BiasKeys::none && family.keys.qkv_biases == nullptr &&
           config.flag("attention_bias", false);
}

/// Refuses biases that no machine supports, and keys for biases that the family does not
/// have.
void refuse_biases(const JsonView& config, const Family& family, OptionalKeys& optional)
{
    const auto is_read = [&](const char* own, std::string_view key) {
        return own != nullptr && key == own && config.find(std::string(key));
    };
    const bool has_qkv = family.biases == FamilyBiases::qkv;
    if (!is_read(family.keys.qkv_biases, "qkv_bias"))
        require_value(config, "qkv_bias", {has_qkv}, has_qkv ? "true" : "false");

    const std::string attention = "attention_bias";
    const bool is_flag = std::ranges::any_of(
        family.needed, [&](const NeededFlag& flag) { return is_read(flag.key, attention); });
    if (!is_read(family.keys.qkv_biases, attention) &&
        !is_read(family.keys.attention_biases, attention) && !is_flag) {
        if (family.bias_keys == BiasKeys::none)
            require_value(config, attention, {false},
                          has_qkv
                              ? "false or no such key: models of this family always have biases "
                                "for Q, K and V and none for the output, whatever the key says"
                              : "false: this family has no such biases");
        else if (family.keys.kv_latent != nullptr)
            optional.require(attention, {false}, "false: latent attention has no biases here");
        else
            (void)optional.flag(attention, false);
    }

    const std::string network = "mlp_bias";
    if (family.bias_keys != BiasKeys::both)
        require_value(config, network, {false}, "false: this family has no such biases");
    else if (family.gated)
        optional.require(network, {false}, "false: a gated network has no biases here");
    else if (has_attention_biases(config, family))
        (void)optional.flag(network, false);
    else
        optional.require(network, {false}, "false, or true with attention_bias");
}

/// Refuses switches that change the model, even if they are absent and transformers sets them by
/// default.
void check_flags(const JsonView& config, const Family& family, OptionalKeys& optional)
{
    for (const NeededWord& needed : family.needed_words) {
        const auto found = config.find(needed.key);
        const auto is_it = [&](const char* word) { return found->text() == word; };
        if (found && std::ranges::none_of(needed.words, is_it))
            found->fail(std::string(needed.words.front()) +
                        ": other models of this family are not supported");
    }
    for (const KeptValue& kept : family.kept)
        require_value(config, kept.key, {Json::parse(kept.json)},
                      std::string(kept.json) + ": other models of this family are not supported");
    for (const NeededFlag& flag : family.needed)
        if (config.find(flag.key) || flag.value == flag.without)
            optional.require(flag.key, {flag.value},
                             std::string(flag.value ? "true" : "false") +
                                 ": other models of this family are not supported");
        else
            (void)config.at(flag.key);
}

/// Returns the names of a shape's fields in config.json.
ShapeKeys shape_keys(const JsonView& config, const FamilyKeys& keys)
{
    const bool latent = keys.kv_latent != nullptr;
    return {{"dim", "hidden_size"},
            {"hidden", keys.hidden},
            {"layers", keys.layers},
            {"heads", "num_attention_heads"},
            {"kv_heads", "num_key_value_heads"},
            {"head_dim", latent                    ? "kv_lora_rank + qk_rope_head_dim"
                         : config.find("head_dim") ? "head_dim"
                                                   : "hidden_size / num_attention_heads"},
            {"vocab", "vocab_size"},
            {"max_context", "max_position_embeddings"},
            {"kv_latent", "kv_lora_rank"},
            {"query_latent", "q_lora_rank"},
            {"rotary_dim", "qk_rope_head_dim"},
            {"nope_dim", "qk_nope_head_dim"},
            {"value_dim", "v_head_dim"},
            {"window", "sliding_window"},
            {"experts", keys.experts == nullptr ? "the number of experts" : keys.experts},
            {"chosen", keys.chosen == nullptr ? "num_experts_per_tok" : keys.chosen},
            {"dense_hidden", "intermediate_size"},
            {"glu_limit", "swiglu_limit"},
            {"norm_epsilon", keys.epsilon == nullptr ? "" : keys.epsilon}};
}

/// Returns a count that the file must state, unless transformers has a default for it (`without`).
std::uint32_t needed(const JsonView& config, const char* key, std::uint32_t without,
                     OptionalKeys& optional)
{
    return without == 0 ? config.at(key).count() : optional.count(key, without);
}

/// Returns a number of elements that are rotated, or cached, in pairs.
std::uint32_t even_count(const JsonView& value)
{
    if (value.count() == 0 || value.count() % 2 != 0)
        value.fail("an even number, 2 or more");
    return value.count();
}

/// Reads the keys of latent attention. head_dim is ignored, because it follows from other keys.
/// num_key_value_heads must equal the number of heads, although the keys of all heads come from one
/// vector.
void read_latent(const JsonView& config, const FamilyKeys& keys, ModelShape& shape)
{
    shape.kv_latent = even_count(config.at(keys.kv_latent));
    shape.rotary_dim = even_count(config.at(keys.rope_dim));
    shape.nope_dim = config.at(keys.nope_dim).count();
    shape.value_dim = config.at(keys.value_dim).count();
    if (!config.json().contains(keys.query_latent)) // null: there is none
        (void)config.at(keys.query_latent);
    shape.query_latent = config.count(keys.query_latent, 0);
    require_value(config, keys.kv_heads, {shape.heads},
                  "num_attention_heads, " + std::to_string(shape.heads));
    if (std::uint64_t{shape.kv_latent} + shape.rotary_dim > UINT32_MAX)
        config.at(keys.kv_latent).fail("less");
    shape.kv_heads = 1;
    shape.head_dim = shape.kv_latent + shape.rotary_dim;
}

void read_heads(const JsonView& config, const Family& family, OptionalKeys& optional,
                ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    const std::uint32_t without = family.kv_heads;
    shape.kv_heads = keys.kv_heads == nullptr
                         ? without
                         : optional.count(keys.kv_heads, without == 0 ? shape.heads : without);
    if (!config.find("head_dim") && family.head_dim == 0 &&
        (shape.heads == 0 || shape.dim % shape.heads != 0))
        config.at("num_attention_heads").fail("a divisor of hidden_size, or a head_dim");
    const std::uint32_t share = shape.heads == 0 ? 0 : shape.dim / shape.heads;
    shape.head_dim = optional.count("head_dim", family.head_dim == 0 ? share : family.head_dim);
}

void read_sizes(const JsonView& config, const Family& family, OptionalKeys& optional,
                ModelShape& shape)
{
    shape.dim = config.at("hidden_size").count();
    const FamilyKeys& keys = family.keys;
    shape.hidden = needed(config, keys.hidden, family.hidden_of_dim * shape.dim, optional);
    shape.layers = config.at(keys.layers).count();
    if (shape.layers > most_layers)
        config.at(keys.layers).fail("at most " + std::to_string(most_layers));
    shape.heads = needed(config, "num_attention_heads", family.heads, optional);
    if (keys.kv_latent != nullptr)
        read_latent(config, keys, shape);
    else
        read_heads(config, family, optional, shape);
    shape.vocab = needed(config, "vocab_size", family.vocab, optional);
    shape.max_context = needed(config, "max_position_embeddings", family.max_context, optional);
}

struct ActivationName {
    const char* name; // name in transformers
    levee_activation gated, plain;
};
constexpr levee_activation no_activation = LEVEE_ACTIVATION_END;
constexpr std::array activation_names{
    ActivationName{"silu", LEVEE_ACTIVATION_SILU_GLU, no_activation},
    ActivationName{"swish", LEVEE_ACTIVATION_SILU_GLU, no_activation},
    ActivationName{"gelu", LEVEE_ACTIVATION_GELU_GLU, LEVEE_ACTIVATION_GELU},
    ActivationName{"gelu_pytorch_tanh", LEVEE_ACTIVATION_GELU_TANH_GLU, LEVEE_ACTIVATION_GELU_TANH},
    ActivationName{"gelu_new", LEVEE_ACTIVATION_GELU_TANH_GLU, LEVEE_ACTIVATION_GELU_TANH},
    ActivationName{"gelu_fast", LEVEE_ACTIVATION_GELU_TANH_GLU, LEVEE_ACTIVATION_GELU_TANH},
    ActivationName{"relu", LEVEE_ACTIVATION_RELU_GLU, LEVEE_ACTIVATION_RELU},
    ActivationName{"relu2", no_activation, LEVEE_ACTIVATION_RELU_SQUARED}};

levee_activation read_activation(const JsonView& config, const Family& family,
                                 OptionalKeys& optional)
{
    const auto found = config.find(family.keys.activation);
    if (!found)
        optional.without(family.keys.activation, family.activation);
    const std::string name = found ? found->text() : family.activation;
    std::string expected;
    for (const ActivationName& known : activation_names) {
        const levee_activation activation = family.gated ? known.gated : known.plain;
        if (activation == no_activation)
            continue;
        if (name == known.name)
            return activation;
        expected += (expected.empty() ? "" : ", ") + std::string(known.name);
    }
    found->fail("one of " + expected);
}

// Range of caps: values that an image can store as FP32 and that a shape's keys accept
// (model_keys.hpp).
constexpr double smallest_cap = std::numeric_limits<float>::min(), largest_cap = 1e6;
constexpr double smallest_epsilon = 1e-12, largest_epsilon = 0.1;

std::string shown(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

float within(const JsonView& value, double least, double most)
{
    if (!(value.real() >= least && value.real() <= most))
        value.fail("a number from " + shown(least) + " to " + shown(most));
    return static_cast<float>(value.real());
}

/// Returns a cap, which must be above 0; 0 (no cap) for null, and `without` for an absent key.
float cap_of(const JsonView& config, const char* key, double without, OptionalKeys& optional)
{
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    if (!found) {
        const bool is_said = key == nullptr || config.json().contains(key);
        if (!is_said && without != 0.0)
            optional.without(key, without);
        return is_said ? 0.0F : static_cast<float>(without);
    }
    return within(*found, smallest_cap, largest_cap);
}

/// Returns the epsilon of norms.
float epsilon_of(const JsonView& config, const Family& family, OptionalKeys& optional)
{
    const char* const key = family.keys.epsilon;
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    if (found)
        return within(*found, smallest_epsilon, largest_epsilon);
    return static_cast<float>(key == nullptr ? family.epsilon : optional.real(key, family.epsilon));
}

void read_rotary(const JsonView& config, const Family& family, ModelShape& shape)
{
    const char* const key = family.keys.rotary_share;
    const auto parameters = config.find("rope_parameters");
    const auto inner = parameters ? parameters->find("partial_rotary_factor") : std::nullopt;
    if (key == nullptr && inner && inner->real() != 1.0)
        inner->fail("1: no other factor is supported");
    if (key == nullptr)
        return;
    const auto found = inner ? inner : config.find(key);
    const double share = found ? found->real() : family.rotary_share;
    if (found && !(share > 0.0 && share <= 1.0))
        found->fail("a number above 0, at most 1");
    const auto rotated = static_cast<std::uint32_t>(shape.head_dim * share);
    const std::string expected =
        "an even number of a head's " + std::to_string(shape.head_dim) + " elements";
    if (found && (rotated == 0 || rotated % 2 != 0))
        found->fail(expected);
    if (rotated == 0 || rotated % 2 != 0)
        throw ModelError(config.source() + ": " + key + ": " + std::to_string(rotated) +
                         " elements by default, expected " + expected);
    shape.rotary_dim = rotated == shape.head_dim ? 0 : rotated;
}

/// Reads the parameters of gpt-oss's clamped gate. hidden_act must be silu, although the gate
/// differs from it.
void read_clamp(const JsonView& config, const Family& family, OptionalKeys& optional,
                ModelShape& shape)
{
    if (family.keys.glu_limit == nullptr)
        return;
    if (shape.activation != LEVEE_ACTIVATION_SILU_GLU)
        config.at(family.keys.activation).fail("silu");
    shape.activation = LEVEE_ACTIVATION_CLAMPED_GLU;
    const auto limit = config.find(family.keys.glu_limit);
    shape.glu_limit =
        limit ? within(*limit, smallest_cap, largest_cap)
              : static_cast<float>(optional.real(family.keys.glu_limit, family.glu_limit));
    const auto alpha = config.find(family.keys.glu_alpha);
    shape.glu_alpha =
        alpha ? within(*alpha, smallest_cap, largest_cap) : static_cast<float>(family.glu_alpha);
}

void read_structure(const JsonView& config, const Family& family, OptionalKeys& optional,
                    ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    shape.norm = family.norm;
    shape.norm_place = family.place;
    shape.head_norm = keys.head_norm != nullptr && config.flag(keys.head_norm, false)
                          ? HeadNorm::head
                          : family.head_norm;
    shape.position = family.position;
    shape.activation = read_activation(config, family, optional);
    shape.parallel =
        keys.parallel == nullptr ? family.parallel : config.flag(keys.parallel, family.parallel);
    const bool of_attention = has_attention_biases(config, family);
    shape.biases = family.biases == FamilyBiases::all ||
                   (keys.all_biases != nullptr && config.flag(keys.all_biases, true)) ||
                   (of_attention && !family.gated && config.flag("mlp_bias", false));
    const bool has_qkv = family.biases == FamilyBiases::qkv;
    shape.qkv_biases = keys.qkv_biases != nullptr ? config.flag(keys.qkv_biases, has_qkv) : has_qkv;
    shape.attention_biases = of_attention && !shape.biases;
    shape.sinks = family.sinks;
    shape.score_cap = cap_of(config, keys.score_cap, family.score_cap, optional);
    shape.logit_cap = cap_of(config, keys.logit_cap, family.logit_cap, optional);
    shape.tied = optional.flag("tie_word_embeddings", family.tied);
    shape.norm_epsilon = epsilon_of(config, family, optional);
    read_clamp(config, family, optional, shape);
    read_rotary(config, family, shape);
}

/// Returns a factor from an optional key.
double factor_of(const JsonView& config, const char* key, double without, OptionalKeys& optional)
{
    if (key == nullptr)
        return without;
    const auto found = config.find(key);
    if (!found) {
        optional.without(key, without);
        return without;
    }
    if (!(found->real() > 0.0))
        found->fail("a number above 0");
    return found->real();
}

/// Returns the factor for scores, in addition to the inverse square root of a head's
/// width.
double score_factor(const JsonView& config, const Family& family, OptionalKeys& optional,
                    const Config& model)
{
    const FamilyKeys& keys = family.keys;
    const std::uint32_t head_dim = model.shape.head_dim;
    const double root = std::sqrt(static_cast<double>(head_dim));
    if (model.shape.kv_latent != 0) // replaces the cached width by a head's full width, and adds
                                    // DeepSeek's mscale
        return root / std::sqrt(static_cast<double>(model.shape.raw_query())) *
               model.score_magnitude;
    if (keys.score_scale != nullptr)
        return factor_of(config, keys.score_scale, 1.0, optional) * root;
    const double without = family.score_width == 0.0 ? head_dim : family.score_width;
    return root / std::sqrt(factor_of(config, keys.score_width, without, optional));
}

/// Reads the constants by which the model multiplies, and the offsets between a checkpoint's values
/// and an image's values, such as gains stored less 1.
void read_folds(const JsonView& config, const Family& family, OptionalKeys& optional, Config& model)
{
    const ModelShape& shape = model.shape;
    const FamilyKeys& keys = family.keys;
    if (family.gain_offset)
        for (const levee_tensor_kind kind :
             {LEVEE_TENSOR_NORM_ATTENTION, LEVEE_TENSOR_NORM_FFN, LEVEE_TENSOR_NORM_FINAL,
              LEVEE_TENSOR_NORM_ATTENTION_AFTER, LEVEE_TENSOR_NORM_FFN_AFTER,
              LEVEE_TENSOR_NORM_QUERY, LEVEE_TENSOR_NORM_KEY})
            model.folds.add_offset(kind, 1.0F);
    const double scores = score_factor(config, family, optional, model);
    if (std::abs(scores - 1.0) > 1e-6) // Files round the factor, such as an inverse square root.
        model.folds.multiply_scores(shape, scores);
    const double embedding =
        factor_of(config, keys.embedding_scale, 1.0, optional) *
        (family.root_embedding ? std::sqrt(static_cast<double>(shape.dim)) : 1.0);
    if (embedding != 1.0)
        model.folds.multiply_embedding(shape, embedding);
    const double logits = factor_of(config, keys.logit_scale, family.logit_scale, optional) /
                          factor_of(config, keys.logit_divisor, 1.0, optional) *
                          (keys.logit_base == nullptr
                               ? 1.0
                               : factor_of(config, keys.logit_base, 1.0, optional) / shape.dim);
    if (logits != 1.0)
        model.folds.multiply_logits(logits);
    const double sums =
        factor_of(config, keys.sum_scale, 1.0, optional) *
        (keys.depth_scale == nullptr ? 1.0
                                     : factor_of(config, keys.depth_scale, 1.0, optional) /
                                           std::sqrt(static_cast<double>(shape.layers)));
    if (sums != 1.0)
        model.folds.multiply_sums(sums);
    const double experts =
        shape.experts == 0 ? 1.0 : factor_of(config, keys.expert_scale, 1.0, optional);
    if (experts != 1.0)
        model.folds.multiply_experts(experts);
}

void read_positions(const JsonView& config, const Family& family, OptionalKeys& optional,
                    Config& model)
{
    ModelShape& shape = model.shape;
    if (family.scaled_positions && !config.find("rope_parameters"))
        (void)config.at("rope_scaling");
    const RopeDefaults defaults{shape.rotary(), shape.max_context, family.theta, family.keys.theta};
    const Rope rope = read_rope(config, defaults, optional);
    model.phases = rope.phases;
    model.score_magnitude = rope.score_magnitude;
    if (rope.factor != 1.0)
        model.folds.multiply_rotated(shape, rope.factor);
    if (rope.longest != 0 && rope.longest < shape.max_context) {
        model.notes.push_back("its positions are scaled for up to " + std::to_string(rope.longest) +
                              " tokens (" + rope.limit + "); longer contexts are not supported");
        model.longest_scaled = rope.longest;
    }
    if (!has_local_rope(config, family) || shape.window == 0)
        return;
    shape.local_phases = true;
    const RopeDefaults own{shape.rotary(), shape.max_context, default_local_theta};
    const Rope local = family.local_unscaled && !has_local_parameters(config)
                           ? unscaled_rope(rope, own)
                           : read_local_rope(config, family.keys.local_theta, own, optional);
    model.local_phases = local.phases;
    if (local.factor != 1.0)
        model.folds.multiply_rotated(shape, local.factor, true);
}

/// Adds a note on layers that predict further tokens, which a run does not execute.
void note_further_layers(const JsonView& config, const Family& family, Config& model)
{
    const char* const key = family.keys.further_layers;
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    if (found && found->count() != 0)
        model.remarks.push_back(std::string(key) + " is " + std::to_string(found->count()) +
                                ": layers that predict further tokens are left out");
}

void read_family(const JsonView& config, const Family& family, OptionalKeys& optional,
                 Config& model)
{
    refuse_biases(config, family, optional);
    check_flags(config, family, optional);
    read_sizes(config, family, optional, model.shape);
    read_structure(config, family, optional, model.shape);
    read_experts(config, family, optional, model.shape);
    read_layers(config, family, optional, model);
    read_dense_layers(config, family, optional, model.shape);
    note_further_layers(config, family, model);
    check_shape(model.shape, config.source(), shape_keys(config, family.keys));
    model.merges_norms = family.own_norms && model.shape.parallel;
    read_positions(config, family, optional, model);
    read_folds(config, family, optional, model);
}

void read_opt(const JsonView& config, OptionalKeys& optional, Config& model)
{
    optional.require("activation_function", {"relu"}, "relu");
    optional.require("do_layer_norm_before", {true},
                     "true: layer norms after their blocks (OPT-350M) are not supported");
    optional.require("enable_bias", {true}, "true");
    optional.require("layer_norm_elementwise_affine", {true}, "true");
    optional.require("_remove_final_layer_norm", {false}, "false");
    const JsonView dim = config.at("hidden_size");
    optional.require("word_embed_proj_dim", {dim.json()},
                     "hidden_size, " + dim.json().dump() +
                         ": projected embeddings are not supported");
    const JsonView heads = config.at("num_attention_heads");
    if (heads.count() == 0 || dim.count() % heads.count() != 0)
        heads.fail("a divisor of hidden_size, " + dim.json().dump());
    model.shape =
        opt_shape(dim.count(), config.at("ffn_dim").count(), config.at("num_hidden_layers").count(),
                  heads.count(), config.at("vocab_size").count(),
                  config.at("max_position_embeddings").count());
    model.shape.tied = optional.flag("tie_word_embeddings", true);
    check_shape(model.shape, config.source(),
                shape_keys(config, {.hidden = "ffn_dim", .epsilon = nullptr}));
}

/// Adds the tokens that end a text. A file may give one token or a list.
void take_stops(const JsonView& config, std::uint32_t vocab, std::vector<std::uint32_t>& stops)
{
    const auto found = config.find("eos_token_id");
    if (!found)
        return;
    const bool several = found->json().is_array();
    for (const JsonView& item : several ? found->items() : std::vector<JsonView>{*found}) {
        if (item.count() >= vocab)
            item.fail("a token below vocab_size, " + std::to_string(vocab));
        if (std::ranges::find(stops, item.count()) == stops.end())
            stops.push_back(item.count());
    }
    if (stops.size() > 1 + LEVEE_MAX_STOPS)
        found->fail("at most " + std::to_string(1 + LEVEE_MAX_STOPS) +
                    " tokens that end a text, those of config.json and of generation_config.json "
                    "together");
}

/// Reads the tokens that end a text from config.json, and from generation_config.json, which
/// transformers uses for this.
void read_stops(const JsonView& config, const std::filesystem::path& file, Config& model)
{
    std::vector<std::uint32_t> stops;
    take_stops(config, model.shape.vocab, stops);
    const std::filesystem::path beside = file.parent_path() / "generation_config.json";
    if (std::filesystem::exists(beside)) {
        const JsonFile json(beside);
        take_stops(json.view(), model.shape.vocab, stops);
    }
    if (stops.empty())
        return;
    model.eos = stops.front();
    model.stops.assign(stops.begin() + 1, stops.end());
}

/// Returns a folder's name. In a download cache, where the folder's own name is the number of a
/// version, returns the repository's name ("models--Qwen--Qwen3-0.6B/snapshots/NUMBER").
std::string folder_name(const std::filesystem::path& folder)
{
    const std::filesystem::path versions = folder.parent_path();
    const std::string repository = versions.parent_path().filename().string();
    if (versions.filename() == "snapshots" && repository.starts_with("models--"))
        return repository.substr(repository.rfind("--") + 2);
    return folder.filename().string();
}

/// Uses the folder's name as the model's name. The name in the file is often the name of the
/// checkpoint from which training began.
void read_name(const JsonView& config, const std::filesystem::path& file, Config& model)
{
    const auto said = config.find("_name_or_path");
    if (said && !said->text().empty())
        model.remarks.push_back("its _name_or_path is " + said->shown());
    model.origin = file.string();
    const std::string folder =
        folder_name(std::filesystem::absolute(file).lexically_normal().parent_path());
    model.name = model_name_of(folder);
    if (const auto note = note_on_name(folder))
        model.remarks.push_back(*note);
    if (model.name.empty())
        model.name = "model";
}

/// Returns the text part of a multimodal model's config. `tie_word_embeddings` may be inside
/// `text_config` or at the top level.
Json part_for_text(const JsonView& whole, const JsonView& text)
{
    const char* const key = "tie_word_embeddings";
    const auto outer = whole.find(key), inner = text.find(key);
    if (outer && inner && outer->json() != inner->json())
        inner->fail(outer->shown() + ", the value of '" + key +
                    "' outside of text_config: versions of transformers take one or the "
                    "other");
    Json own = text.json();
    if (outer && !inner)
        own[key] = outer->json();
    return own;
}

/// Removes a key of rope_scaling or rope_parameters, or of a map within them, from `config`.
/// Returns the key's name and value as text.
std::string take_out(Json& config, const std::string& source, const std::string& name)
{
    const auto refused = [&](const std::string& why) {
        return ModelError("--ignore-key: '" + name + "': " + why);
    };
    std::string path = name;
    if (!path.starts_with("rope_scaling.") && !path.starts_with("rope_parameters."))
        throw refused("expected a key at the top of " + source +
                      ", or one of rope_scaling or rope_parameters");
    Json* map = &config;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
        const auto found = map->find(path.substr(0, dot));
        if (found == map->end() || !found->is_object())
            throw refused(source + " has no such key");
        map = &*found;
        path.erase(0, dot + 1);
    }
    const auto found = map->find(path);
    if (found == map->end())
        throw refused(source + " has no such key");
    if (is_scaling_key(path))
        throw refused(source + " has this key, and Levee applies it; it cannot be ignored");
    const std::string shown = name + " (" + JsonView(*found, source).shown() + ")";
    map->erase(found);
    return shown;
}

/// Removes the keys with dots from `config` and from `names`. Returns the keys' names and values as
/// text.
std::string take_out_nested(Json& config, const std::string& source,
                            std::vector<std::string>& names)
{
    std::string taken;
    for (const std::string& name : names)
        if (name.find('.') != std::string::npos)
            taken += (taken.empty() ? "" : ", ") + take_out(config, source, name);
    std::erase_if(names, [](const std::string& name) { return name.find('.') != name.npos; });
    return taken;
}

} // namespace

Config read_config(const std::filesystem::path& file, Part part,
                   const std::vector<std::string>& ignored_keys)
{
    const JsonFile json(file);
    const JsonView whole = json.view();
    const std::optional<JsonView> text =
        whole.find("text_config"); // next to the configuration for images
    const bool is_inner = text.has_value();
    Json own = is_inner ? part_for_text(whole, *text) : whole.json();
    std::vector<std::string> ignored = ignored_keys;
    const std::string_view part_name = "text_config.";
    for (std::string& name : ignored)
        if (is_inner && name.starts_with(part_name))
            name.erase(0, part_name.size());
    const std::string taken_out = take_out_nested(own, whole.source(), ignored);
    const JsonView config(own, whole.source(), is_inner ? "text_config" : "");
    Config model;
    const Family& family = family_of(config, part);
    model.family = &family;
    model.is_text_part = is_inner;
    refuse_experts(config, family);
    const bool beside = is_inner && !config.find("quantization_config");
    model.quantization = read_quantization(beside ? whole : config, model.notes);
    refuse_other_arithmetic(config, keys_of(family));
    OptionalKeys optional(config);
    if (is_opt(family))
        read_opt(config, optional, model);
    else
        read_family(config, family, optional, model);
    if (part == Part::weights && model.longest_scaled != 0)
        model.shape.max_context = model.longest_scaled;
    if (const std::optional<std::string> note = optional.note())
        model.notes.push_back(*note);
    if (text)
        if (const auto note = refuse_unknown_outer_keys(whole, *text, ignored))
            model.notes.push_back(*note);
    if (const std::optional<std::string> note =
            refuse_unknown_keys(config, keys_of(family), ignored))
        model.notes.push_back(*note);
    if (!taken_out.empty())
        model.notes.push_back(note_on_ignored(taken_out));
    if (part == Part::weights)
        read_stops(whole.find("eos_token_id") ? whole : config, file, model);
    read_name(config, file, model);
    return model;
}

std::filesystem::path config_file(const std::filesystem::path& file_or_folder)
{
    return std::filesystem::is_directory(file_or_folder) ? file_or_folder / "config.json"
                                                         : file_or_folder;
}

} // namespace levee::hf
