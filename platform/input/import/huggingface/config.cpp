// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/config.hpp"

#include "platform/input/import/huggingface/arithmetic_keys.hpp"
#include "platform/input/import/huggingface/optional_keys.hpp"
#include "platform/input/import/huggingface/rope.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace levee::hf {

namespace {

struct Architecture {
    const char* name;       // of "architectures"
    const char* model_type; // of "model_type"
    Family family;
    bool qkv_biases;
    bool has_bias_keys; // attention_bias and mlp_bias
    bool qk_norms;      // of each head's queries and keys, which no run carries out
    // What transformers takes for keys that are not given.
    std::uint32_t kv_heads; // 0: as many as heads
    std::uint32_t head_dim; // 0: hidden_size / num_attention_heads
    bool slides;            // whether sliding_window counts without use_sliding_window
    std::uint32_t window;   // 0: none
    double epsilon = 1e-6;
};
constexpr std::array known_architectures{
    Architecture{"LlamaForCausalLM", "llama", Family::llama, false, true, false, 0, 0, false, 0},
    Architecture{"MistralForCausalLM", "mistral", Family::llama, false, false, false, 8, 0, true,
                 4096},
    Architecture{"Qwen2ForCausalLM", "qwen2", Family::llama, true, false, false, 32, 0, false,
                 4096},
    Architecture{"OPTForCausalLM", "opt", Family::opt, false, false, false, 0, 0, false, 0},
    Architecture{"Qwen3ForCausalLM", "qwen3", Family::llama, false, true, true, 32, 128, false,
                 4096},
    Architecture{"Phi3ForCausalLM", "phi3", Family::llama, false, false, false, 0, 0, true, 0,
                 1e-5}};

/// Whether all of it is carried out, and not its sizes alone.
bool is_whole(const Architecture& architecture)
{
    return !architecture.qk_norms;
}

Architecture architecture_of(const JsonView& config, Part part)
{
    std::optional<JsonView> named = config.find("architectures");
    if (named && !named->items().empty())
        named = named->items().front();
    else
        named = config.at("model_type");
    std::string expected;
    for (const Architecture& known : known_architectures) {
        if (part == Part::weights && !is_whole(known))
            continue;
        if (named->text() == known.name || named->text() == known.model_type)
            return known;
        expected += (expected.empty() ? "" : ", ") + std::string(known.name);
    }
    named->fail("one of " + expected + ": no other is supported");
}

/// Refuses a key unless its value is one of `values`, with which nothing is computed otherwise.
void require_value(const JsonView& config, const std::string& key, const std::vector<Json>& values,
                   const std::string& expected)
{
    const auto found = config.find(key);
    if (found && std::find(values.begin(), values.end(), found->json()) == values.end())
        found->fail(expected);
}

void refuse_experts(const JsonView& config)
{
    for (const char* key :
         {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"})
        require_value(config, key, {0, 1}, "none: a mixture of experts is not supported");
}

void note_window(const JsonView& config, const Architecture& architecture, OptionalKeys& optional,
                 Config& model)
{
    if (!config.flag("use_sliding_window", architecture.slides))
        return;
    const bool is_said = config.json().contains("sliding_window"); // as null, too: there is none
    const std::uint32_t window = is_said ? config.count("sliding_window", 0)
                                         : optional.count("sliding_window", architecture.window);
    if (window != 0 && window < model.shape.max_context)
        model.notes.push_back(
            "its sliding window of " + std::to_string(window) +
            " tokens is not carried out: attention goes to all tokens. Up to that many the run is "
            "the model's; beyond, keys and values, their bytes and the time for them grow with the "
            "context, in the model they do not");
}

/// Counts the norms of queries and keys, two vectors a layer.
void note_qk_norms(const Architecture& architecture, Config& model)
{
    if (!architecture.qk_norms)
        return;
    const ModelShape& shape = model.shape;
    model.unused_parameters = 2 * std::uint64_t{shape.layers} * shape.head_dim;
    model.notes.push_back("its norms of queries and keys (" +
                          std::to_string(model.unused_parameters) +
                          " parameters) are not carried out: a run leaves out their bytes, and " +
                          std::to_string(shape.heads + shape.kv_heads) + " norms of " +
                          std::to_string(shape.head_dim) + " values a layer and token");
}

/// In an architecture without these keys, one that is there is meant.
void refuse_biases(const JsonView& config, const Architecture& architecture, OptionalKeys& optional)
{
    for (const auto& [key, expected] :
         {std::pair{"attention_bias",
                    "false: with a gated network only Q, K and V may have biases (Qwen2)"},
          std::pair{"mlp_bias", "false: a gated network has no biases here"}})
        if (architecture.has_bias_keys)
            optional.require(key, {false}, expected);
        else
            require_value(config, key, {false}, expected);
}

/// What config.json calls a shape's fields. hidden: its architecture's word for that.
ShapeKeys shape_keys(const JsonView& config, const char* hidden)
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
        {"norm_epsilon", "rms_norm_eps"}};
}

void read_llama(const JsonView& config, const Architecture& architecture, OptionalKeys& optional,
                Config& model)
{
    optional.require("hidden_act", {"silu", "swish"}, "silu");
    refuse_biases(config, architecture, optional);
    ModelShape& shape = model.shape;
    shape.dim = config.at("hidden_size").count();
    shape.hidden = config.at("intermediate_size").count();
    shape.layers = config.at("num_hidden_layers").count();
    shape.heads = config.at("num_attention_heads").count();
    const std::uint32_t without = architecture.kv_heads;
    shape.kv_heads = optional.count("num_key_value_heads", without == 0 ? shape.heads : without);
    if (!config.find("head_dim") && architecture.head_dim == 0 &&
        (shape.heads == 0 || shape.dim % shape.heads != 0))
        config.at("num_attention_heads").fail("a divisor of hidden_size, or a head_dim");
    const std::uint32_t share = shape.heads == 0 ? 0 : shape.dim / shape.heads;
    shape.head_dim =
        optional.count("head_dim", architecture.head_dim == 0 ? share : architecture.head_dim);
    shape.vocab = config.at("vocab_size").count();
    shape.max_context = config.at("max_position_embeddings").count();
    shape.position = LEVEE_POSITION_ROPE_HALVES;
    shape.qkv_biases = architecture.qkv_biases;
    shape.tied = optional.flag("tie_word_embeddings", false);
    shape.norm_epsilon = static_cast<float>(optional.real("rms_norm_eps", architecture.epsilon));
    note_window(config, architecture, optional, model);
    check_shape(shape, config.source(), shape_keys(config, "intermediate_size"));
    note_qk_norms(architecture, model);
    model.phases = read_rope(config, shape.head_dim, optional);
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
    check_shape(model.shape, config.source(), shape_keys(config, "ffn_dim"));
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
    const JsonView config = json.view();
    Config model;
    const Architecture architecture = architecture_of(config, part);
    model.family = architecture.family;
    refuse_experts(config);
    model.quantization = read_quantization(config, model.notes);
    refuse_other_arithmetic(config);
    OptionalKeys optional(config);
    if (model.family == Family::llama)
        read_llama(config, architecture, optional, model);
    else
        read_opt(config, optional, model);
    if (const std::optional<std::string> note = optional.note())
        model.notes.push_back(*note);
    if (const std::optional<std::string> note = note_on_unknown_keys(config))
        model.notes.push_back(*note);
    model.eos = read_eos(config, model.notes);
    if (model.eos && *model.eos >= model.shape.vocab)
        config.at("eos_token_id")
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
