// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/config.hpp"

#include "platform/input/import/huggingface/arithmetic_keys.hpp"
#include "platform/input/import/huggingface/optional_keys.hpp"
#include "platform/input/import/huggingface/rope.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
    if (family == nullptr)
        named->fail("one of " + family_names(part == Part::weights) + ": no other is supported");
    if (part == Part::weights && !family->whole)
        named->fail("one of " + family_names(true) + ": of this one only the shape is taken, as " +
                    family->why_not_whole);
    return *family;
}

/// Refuses a key unless its value is one of `values`, with which nothing is computed otherwise.
void require_value(const JsonView& config, const std::string& key, const std::vector<Json>& values,
                   const std::string& expected)
{
    const auto found = config.find(key);
    if (found && std::find(values.begin(), values.end(), found->json()) == values.end())
        found->fail(expected);
}

void refuse_experts(const JsonView& config, const Family& family)
{
    for (const char* key :
         {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"})
        if (family.keys.experts == nullptr || key != std::string_view(family.keys.experts))
            require_value(config, key, {0, 1}, "none: this family has no mixture of experts");
    require_value(config, "decoder_sparse_step", {1}, "1: every layer has experts");
    require_value(config, "mlp_only_layers", {Json::array()}, "none: every layer has experts");
}

void read_experts(const JsonView& config, const Family& family, OptionalKeys& optional,
                  ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    if (keys.experts == nullptr)
        return;
    shape.experts = config.at(keys.experts).count();
    shape.chosen = config.at(keys.chosen).count();
    if (keys.expert_hidden != nullptr)
        shape.hidden = config.at(keys.expert_hidden).count();
    shape.among_chosen = keys.among_chosen == nullptr
                             ? family.among_chosen
                             : optional.flag(keys.among_chosen, family.among_chosen);
}

/// The window of local layers; 0: there are none.
std::uint32_t window_of(const JsonView& config, const Family& family, OptionalKeys& optional)
{
    if (!config.flag("use_sliding_window", family.slides))
        return 0;
    const bool is_said = config.json().contains("sliding_window"); // as null, too: there is none
    return is_said ? config.count("sliding_window", 0)
                   : optional.count("sliding_window", family.window);
}

/// Every which layer is something; 0: none, if the family says so.
std::uint32_t period_of(const JsonView& config, const char* key, std::uint32_t without)
{
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    if (found && found->count() == 0)
        found->fail("1 or more layers");
    return found ? found->count() : without;
}

bool is_global(std::uint32_t layer, std::uint32_t every)
{
    return every != 0 && (layer + 1) % every == 0;
}

/// Which layers are local: as listed, by the pattern, or all of those that have the window.
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
        family.slides ? 0 : config.count("max_window_layers", family.local_from); // Qwen
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
    for (std::uint32_t i = 0; i < layers; ++i)
        rotated[i] = listed ? items[i].json() != Json(0) && items[i].json() != Json(false)
                            : !is_global(i, every);
    return rotated;
}

/// Whether local layers are rotated by turns of their own.
bool has_local_rope(const JsonView& config, const Family& family)
{
    const auto parameters = config.find("rope_parameters");
    return family.keys.local_theta != nullptr || (parameters && parameters->find(local_layers_key));
}

void read_layers(const JsonView& config, const Family& family, OptionalKeys& optional,
                 Config& model)
{
    ModelShape& shape = model.shape;
    const std::uint32_t window = window_of(config, family, optional);
    const std::vector<bool> local = local_layers(config, family, shape);
    const std::vector<bool> turned = rotated_layers(config, family, shape.layers);
    const bool slides =
        window != 0 && std::ranges::find(local, true) != local.end() &&
        (window < shape.max_context || has_local_rope(config, family) || family.global_unrotated);
    shape.layer_flags.resize(shape.layers);
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
        const bool rotated = turned[i] && !(family.global_unrotated && !local[i]);
        shape.layer_flags[i] = (slides && local[i] ? std::uint32_t{LEVEE_LAYER_LOCAL} : 0U) |
                               (rotated ? 0U : std::uint32_t{LEVEE_LAYER_UNROTATED});
    }
    if (std::ranges::all_of(shape.layer_flags, [](std::uint32_t flags) { return flags == 0; }))
        shape.layer_flags.clear();
    if (!slides)
        return;
    shape.window = window;
    if (window < shape.max_context)
        model.notes.push_back(
            "its sliding window of " + std::to_string(window) +
            " tokens is not carried out: attention goes to all tokens. Up to that many the run is "
            "the model's; beyond, keys and values, their bytes and the time for them grow with the "
            "context, in the model they do not");
}

/// In an architecture without these keys, one that is there is meant.
void refuse_biases(const JsonView& config, const Family& family, OptionalKeys& optional)
{
    for (const auto& [key, expected] :
         {std::pair{"attention_bias",
                    "false: with a gated network only Q, K and V may have biases (Qwen2)"},
          std::pair{"mlp_bias", "false: a gated network has no biases here"}})
        if (config.find(key) &&
            key ==
                std::string_view(family.keys.qkv_biases == nullptr ? "" : family.keys.qkv_biases))
            continue;
        else if (family.has_bias_keys)
            optional.require(key, {false}, expected);
        else
            require_value(config, key, {false}, expected);
}

/// What config.json calls a shape's fields. hidden: its architecture's word for that.
ShapeKeys shape_keys(const JsonView& config, const char* hidden, const char* epsilon)
{
    return {
        {"dim", "hidden_size"},
        {"hidden", hidden},
        {"layers", "num_hidden_layers"},
        {"heads", "num_attention_heads"},
        {"kv_heads", "num_key_value_heads"},
        {"head_dim", config.find("head_dim") ? "head_dim" : "hidden_size / num_attention_heads"},
        {"vocab", "vocab_size"},
        {"max_context", "max_position_embeddings"},
        {"window", "sliding_window"},
        {"experts", "the number of experts"},
        {"chosen", "num_experts_per_tok"},
        {"norm_epsilon", epsilon == nullptr ? "" : epsilon}};
}

/// A count that must be there, unless transformers takes `without`.
std::uint32_t needed(const JsonView& config, const char* key, std::uint32_t without,
                     OptionalKeys& optional)
{
    return without == 0 ? config.at(key).count() : optional.count(key, without);
}

void read_sizes(const JsonView& config, const Family& family, OptionalKeys& optional,
                ModelShape& shape)
{
    shape.dim = config.at("hidden_size").count();
    shape.hidden = config.at("intermediate_size").count();
    shape.layers = config.at("num_hidden_layers").count();
    shape.heads = needed(config, "num_attention_heads", family.heads, optional);
    const std::uint32_t without = family.kv_heads;
    shape.kv_heads = optional.count("num_key_value_heads", without == 0 ? shape.heads : without);
    if (!config.find("head_dim") && family.head_dim == 0 &&
        (shape.heads == 0 || shape.dim % shape.heads != 0))
        config.at("num_attention_heads").fail("a divisor of hidden_size, or a head_dim");
    const std::uint32_t share = shape.heads == 0 ? 0 : shape.dim / shape.heads;
    shape.head_dim = optional.count("head_dim", family.head_dim == 0 ? share : family.head_dim);
    shape.vocab = needed(config, "vocab_size", family.vocab, optional);
    shape.max_context = needed(config, "max_position_embeddings", family.max_context, optional);
}

struct ActivationName {
    const char* name; // transformers'
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

/// A number above 0; 0: there is none, as a null says, too.
float cap_of(const JsonView& config, const char* key, double without, OptionalKeys& optional)
{
    const auto found = key == nullptr ? std::nullopt : config.find(key);
    if (!found) {
        const bool is_said = key == nullptr || config.json().contains(key);
        if (!is_said && without != 0.0)
            optional.without(key, without);
        return is_said ? 0.0F : static_cast<float>(without);
    }
    if (!(found->real() > 0.0))
        found->fail("a number above 0");
    return static_cast<float>(found->real());
}

void read_rotary(const JsonView& config, const Family& family, ModelShape& shape)
{
    const char* const key = family.keys.rotary_share;
    const auto parameters = config.find("rope_parameters");
    const auto inner = parameters ? parameters->find(key == nullptr ? "partial_rotary_factor" : key)
                                  : std::nullopt;
    if (key == nullptr && inner && inner->real() != 1.0)
        inner->fail("1: no run carries out another factor");
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
                         " elements where it is not given, expected " + expected);
    shape.rotary_dim = rotated == shape.head_dim ? 0 : rotated;
}

void read_structure(const JsonView& config, const Family& family, OptionalKeys& optional,
                    ModelShape& shape)
{
    const FamilyKeys& keys = family.keys;
    shape.norm = family.norm;
    shape.norm_place = family.place;
    shape.head_norm = family.head_norm;
    shape.position = family.position;
    shape.activation = read_activation(config, family, optional);
    shape.parallel =
        keys.parallel == nullptr ? family.parallel : config.flag(keys.parallel, family.parallel);
    shape.biases = family.biases == FamilyBiases::all ||
                   (keys.all_biases != nullptr && config.flag(keys.all_biases, true));
    shape.qkv_biases = family.biases == FamilyBiases::qkv ||
                       (keys.qkv_biases != nullptr && config.flag(keys.qkv_biases, false));
    shape.score_cap = cap_of(config, keys.score_cap, family.score_cap, optional);
    shape.logit_cap = cap_of(config, keys.logit_cap, family.logit_cap, optional);
    shape.tied = optional.flag("tie_word_embeddings", family.tied);
    shape.norm_epsilon = static_cast<float>(
        keys.epsilon == nullptr ? family.epsilon : optional.real(keys.epsilon, family.epsilon));
    read_rotary(config, family, shape);
}

/// A factor that need not be there.
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

/// By how much more scores are multiplied than by the inverse root of a head's width.
double score_factor(const JsonView& config, const Family& family, OptionalKeys& optional,
                    std::uint32_t head_dim)
{
    const FamilyKeys& keys = family.keys;
    const double root = std::sqrt(static_cast<double>(head_dim));
    if (keys.score_scale != nullptr)
        return factor_of(config, keys.score_scale, 1.0, optional) * root;
    const double without = family.score_width == 0.0 ? head_dim : family.score_width;
    return root / std::sqrt(factor_of(config, keys.score_width, without, optional));
}

/// Constants by which the model multiplies, and what its checkpoint holds otherwise than an image.
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
    const double scores = score_factor(config, family, optional, shape.head_dim);
    if (std::abs(scores - 1.0) > 1e-6) // as a file writes an inverse root
        model.folds.multiply_scores(shape, scores);
    const double embedding =
        factor_of(config, keys.embedding_scale, 1.0, optional) *
        (family.root_embedding ? std::sqrt(static_cast<double>(shape.dim)) : 1.0);
    if (embedding != 1.0)
        model.folds.multiply_embedding(shape, embedding);
    const double logits = factor_of(config, keys.logit_scale, family.logit_scale, optional) /
                          factor_of(config, keys.logit_divisor, 1.0, optional);
    if (logits != 1.0)
        model.folds.multiply_logits(logits);
    const double sums = factor_of(config, keys.sum_scale, 1.0, optional);
    if (sums != 1.0)
        model.folds.multiply_sums(sums);
}

void read_positions(const JsonView& config, const Family& family, OptionalKeys& optional,
                    Config& model)
{
    ModelShape& shape = model.shape;
    const RopeDefaults defaults{shape.rotary(), shape.max_context, family.theta};
    const Rope rope = read_rope(config, defaults, optional);
    model.phases = rope.phases;
    if (rope.factor != 1.0)
        model.folds.multiply_rotated(shape, rope.factor);
    if (rope.longest != 0 && rope.longest < shape.max_context) {
        model.notes.push_back("its positions are scaled for texts of up to " +
                              std::to_string(rope.longest) +
                              " tokens (short_factor); longer ones are not carried out");
        model.longest_scaled = rope.longest;
    }
    if (!has_local_rope(config, family) || shape.window == 0)
        return;
    shape.local_phases = true;
    const RopeDefaults own{shape.rotary(), shape.max_context, default_local_theta};
    const Rope local = read_local_rope(config, family.keys.local_theta, own, optional);
    model.local_phases = local.phases;
    if (local.factor != 1.0)
        model.folds.multiply_rotated(shape, local.factor, true);
}

void read_family(const JsonView& config, const Family& family, OptionalKeys& optional,
                 Config& model)
{
    refuse_biases(config, family, optional);
    read_sizes(config, family, optional, model.shape);
    read_structure(config, family, optional, model.shape);
    read_experts(config, family, optional, model.shape);
    read_layers(config, family, optional, model);
    check_shape(model.shape, config.source(),
                shape_keys(config, "intermediate_size", family.keys.epsilon));
    read_positions(config, family, optional, model);
    read_folds(config, family, optional, model);
}

void read_opt(const JsonView& config, OptionalKeys& optional, Config& model)
{
    optional.require("activation_function", {"relu"}, "relu");
    optional.require("do_layer_norm_before", {true},
                     "true: layer norms behind their blocks (OPT-350M) are not supported");
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
    check_shape(model.shape, config.source(), shape_keys(config, "ffn_dim", nullptr));
}

std::optional<std::uint32_t> read_eos(const JsonView& config, std::vector<std::string>& notes)
{
    const auto found = config.find("eos_token_id");
    if (!found)
        return std::nullopt;
    if (!found->json().is_array())
        return found->count();
    const std::vector<JsonView> several = found->items();
    if (several.empty())
        return std::nullopt;
    if (several.size() > 1)
        notes.push_back("its config.json names " + std::to_string(several.size()) +
                        " tokens that end a text; the first, " +
                        std::to_string(several.front().count()) +
                        ", alone is taken, so texts that another one ends go on");
    return several.front().count();
}

/// Takes the folder's name as the model's: the file itself often names the checkpoint or folder
/// that training began from.
void read_name(const JsonView& config, const std::filesystem::path& file, Config& model)
{
    const auto said = config.find("_name_or_path");
    if (said && !said->text().empty())
        model.remarks.push_back("its _name_or_path is " + said->shown());
    model.origin = file.string();
    const std::string folder =
        std::filesystem::absolute(file).lexically_normal().parent_path().filename().string();
    model.name = model_name_of(folder);
    if (const auto note = note_on_name(folder))
        model.remarks.push_back(*note);
    if (model.name.empty())
        model.name = "model";
}

} // namespace

Config read_config(const std::filesystem::path& file, Part part)
{
    const JsonFile json(file);
    const JsonView whole = json.view();
    const std::optional<JsonView> text = whole.find("text_config"); // beside that of images
    const JsonView config = text && part == Part::shape ? *text : whole;
    Config model;
    const Family& family = family_of(config, part);
    model.family = &family;
    refuse_experts(config, family);
    model.quantization = read_quantization(config, model.notes);
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
    if (const std::optional<std::string> note = note_on_unknown_keys(config, keys_of(family)))
        model.notes.push_back(*note);
    model.eos = read_eos(whole, model.notes);
    if (model.eos && *model.eos >= model.shape.vocab)
        whole.at("eos_token_id")
            .fail("a token below vocab_size, " + std::to_string(model.shape.vocab));
    read_name(config, file, model);
    return model;
}

std::filesystem::path config_file(const std::filesystem::path& file_or_folder)
{
    return std::filesystem::is_directory(file_or_folder) ? file_or_folder / "config.json"
                                                         : file_or_folder;
}

} // namespace levee::hf
