// SPDX-License-Identifier: Apache-2.0
// Imports small models of every family, written as llama.cpp's converters write them. The results
// must equal those that the families' descriptions give for the checkpoint.
#include "test/reference/composed_transformer.hpp"
#include "test/reference/family_transformer.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/unit/gguf/imported.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <set>

using namespace levee;
using namespace levee::test;

namespace {

using Json = nlohmann::json;

const std::vector<std::uint32_t> tokens{3, 49, 0, 17, 17, 42, 8, 1, 30, 5, 22, 11};

const std::map<std::string, std::string> architectures{{"llama", "llama"},
                                                       {"mistral", "llama"},
                                                       {"ministral3", "mistral3"},
                                                       {"arcee", "arcee"},
                                                       {"seed_oss", "seed_oss"},
                                                       {"ernie4_5", "ernie4_5"},
                                                       {"glm", "chatglm"},
                                                       {"exaone4", "exaone4"},
                                                       {"olmo3", "olmo2"},
                                                       {"qwen2", "qwen2"},
                                                       {"qwen3", "qwen3"},
                                                       {"smollm3", "smollm3"},
                                                       {"granite", "granite"},
                                                       {"gemma", "gemma"},
                                                       {"gemma2", "gemma2"},
                                                       {"gemma3_text", "gemma3"},
                                                       {"phi3", "phi3"},
                                                       {"olmo", "olmo"},
                                                       {"olmo2", "olmo2"},
                                                       {"nemotron", "nemotron"},
                                                       {"starcoder2", "starcoder2"},
                                                       {"stablelm", "stablelm"},
                                                       {"cohere", "command-r"},
                                                       {"cohere2", "cohere2"},
                                                       {"glm4", "glm4"},
                                                       {"mixtral", "llama"},
                                                       {"qwen3_moe", "qwen3moe"},
                                                       {"olmoe", "olmoe"},
                                                       {"granitemoe", "granitemoe"},
                                                       {"granitemoeshared", "granitemoe"},
                                                       {"qwen2_moe", "qwen2moe"},
                                                       {"deepseek", "deepseek"},
                                                       {"glm4_moe", "glm4moe"},
                                                       {"ernie4_5_moe", "ernie4_5-moe"},
                                                       {"gpt_oss", "gpt-oss"},
                                                       {"deepseek_v2", "deepseek2"},
                                                       {"deepseek_v3", "deepseek2"}};

/// Translates a checkpoint's tensor names to GGUF. Some families have special names.
std::string converted_name(const std::string& type, const std::string& name)
{
    std::map<std::string, std::string> names{{"input_layernorm", "attn_norm"},
                                             {"post_attention_layernorm", "ffn_norm"},
                                             {"self_attn.q_proj", "attn_q"},
                                             {"self_attn.k_proj", "attn_k"},
                                             {"self_attn.v_proj", "attn_v"},
                                             {"self_attn.qkv_proj", "attn_qkv"},
                                             {"self_attn.o_proj", "attn_output"},
                                             {"self_attn.q_norm", "attn_q_norm"},
                                             {"self_attn.k_norm", "attn_k_norm"},
                                             {"mlp.gate_proj", "ffn_gate"},
                                             {"mlp.up_proj", "ffn_up"},
                                             {"mlp.gate_up_proj", "ffn_up"},
                                             {"mlp.down_proj", "ffn_down"},
                                             {"mlp.gate", "ffn_gate_inp"},
                                             {"block_sparse_moe.gate", "ffn_gate_inp"},
                                             {"block_sparse_moe.router.layer", "ffn_gate_inp"},
                                             {"mlp.c_fc", "ffn_up"},
                                             {"mlp.c_proj", "ffn_down"},
                                             {"pre_feedforward_layernorm", "ffn_norm"},
                                             {"post_feedforward_layernorm", "post_ffw_norm"},
                                             {"post_self_attn_layernorm", "post_attention_norm"},
                                             {"post_mlp_layernorm", "post_ffw_norm"}};
    for (const std::string matrix : {"gate", "up", "down"})
        for (const char* const shared : {"mlp.shared_expert.", "mlp.shared_experts."})
            names[shared + matrix + "_proj"] = "ffn_" + matrix + "_shexp";
    names["mlp.shared_expert_gate"] = "ffn_gate_inp_shexp";
    names["mlp.router"] = "ffn_gate_inp";
    names["self_attn.q_a_proj"] = "attn_q_a";
    names["self_attn.q_a_layernorm"] = "attn_q_a_norm";
    names["self_attn.q_b_proj"] = "attn_q_b";
    names["self_attn.kv_a_proj_with_mqa"] = "attn_kv_a_mqa";
    names["self_attn.kv_a_layernorm"] = "attn_kv_a_norm";
    names["self_attn.kv_b_proj"] = "attn_kv_b";
    names["eh_proj"] = "nextn.eh_proj";
    if (std::set<std::string>{"gemma2", "gemma3_text", "olmo2", "olmo3", "exaone4", "seed_oss",
                              "glm4_moe", "gpt_oss"}
            .contains(type))
        names["post_attention_layernorm"] = "post_attention_norm";
    const auto dot = name.rfind('.');
    const std::string end = name.substr(dot), stem = name.substr(0, dot);
    const std::string layers = "model.layers.";
    if (stem.starts_with(layers)) {
        const auto behind = stem.find('.', layers.size());
        const std::string block = "blk." + stem.substr(layers.size(), behind - layers.size()) + ".";
        if (end == ".e_score_correction_bias")
            return block + "exp_probs_b.bias";
        if (end == ".sinks")
            return block + "attn_sinks.weight";
        return "blk." + stem.substr(layers.size(), behind - layers.size()) + "." +
               names.at(stem.substr(behind + 1)) + end;
    }
    return (stem == "model.embed_tokens" ? "token_embd"
            : stem == "model.norm"       ? "output_norm"
                                         : "output") +
           end;
}

/// Reorders rows so that those of a head that are rotated together become neighbours.
std::vector<float> permuted(const FamilyTensor& tensor, std::uint32_t width)
{
    const std::size_t cols = tensor.shape.size() > 1 ? tensor.shape[1] : 1;
    std::vector<float> values;
    for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
        const std::size_t in_head = row % width;
        const std::size_t from = row - in_head + in_head / 2 + in_head % 2 * (width / 2);
        const auto first = tensor.values.begin() + static_cast<std::ptrdiff_t>(from * cols);
        values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(cols));
    }
    return values;
}

/// Adds gpt-oss's experts: rows are columns of the checkpoint's matrices, and rows of gate and up
/// alternate.
void add_turned_experts(GgufWriter& writer, const FamilyCheckpoint& model, std::uint32_t layer)
{
    const std::string at = "model.layers." + std::to_string(layer) + ".mlp.experts.";
    const std::string to = "blk." + std::to_string(layer) + ".ffn_";
    const std::uint64_t dim = model.count("hidden_size"), width = model.expert_width();
    const std::uint64_t experts = model.experts();
    const auto columns = [&](const std::string& name, std::uint64_t inputs, std::uint64_t first,
                             std::uint64_t step) {
        const std::vector<float>& values = model.tensors.at(at + name).values;
        const std::uint64_t outputs = values.size() / experts / inputs;
        std::vector<float> rows;
        for (std::uint64_t expert = 0; expert < experts; ++expert)
            for (std::uint64_t row = first; row < outputs; row += step)
                for (std::uint64_t col = 0; col < inputs; ++col)
                    rows.push_back(values[(expert * inputs + col) * outputs + row]);
        return encoded(rows, f32);
    };
    writer.tensor(to + "gate_exps.weight", {dim, width, experts}, f32,
                  columns("gate_up_proj", dim, 0, 2));
    writer.tensor(to + "up_exps.weight", {dim, width, experts}, f32,
                  columns("gate_up_proj", dim, 1, 2));
    writer.tensor(to + "down_exps.weight", {width, dim, experts}, f32,
                  columns("down_proj", width, 0, 1));
    writer.tensor(to + "gate_exps.bias", {width, experts}, f32,
                  columns("gate_up_proj_bias", 1, 0, 2));
    writer.tensor(to + "up_exps.bias", {width, experts}, f32,
                  columns("gate_up_proj_bias", 1, 1, 2));
    writer.tensor(to + "down_exps.bias", {dim, experts}, f32, columns("down_proj_bias", 1, 0, 1));
}

/// Adds the matrices of all experts of a layer as one tensor, by their names in checkpoints.
void add_experts(GgufWriter& writer, const FamilyCheckpoint& model, std::uint32_t layer)
{
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    const std::string to = "blk." + std::to_string(layer) + ".ffn_";
    const std::uint64_t dim = model.count("hidden_size"), width = model.expert_width();
    const bool mixtral = model.type() == "mixtral";
    std::vector<float> gates, ups, downs;
    const auto append = [&](std::vector<float>& all, const std::string& name) {
        const std::vector<float>& values = model.tensors.at(name).values;
        all.insert(all.end(), values.begin(), values.end());
    };
    const bool stacked = model.type().starts_with("granitemoe");
    if (stacked) {
        const auto& both = model.tensors.at(at + "block_sparse_moe.input_linear.weight").values;
        const auto half = static_cast<std::ptrdiff_t>(width * dim);
        for (auto first = both.begin(); first != both.end(); first += 2 * half) {
            gates.insert(gates.end(), first, first + half);
            ups.insert(ups.end(), first + half, first + 2 * half);
        }
        append(downs, at + "block_sparse_moe.output_linear.weight");
    }
    for (std::uint32_t i = 0; i < model.experts() && !stacked; ++i) {
        const std::string expert =
            at + (mixtral ? "block_sparse_moe" : "mlp") + ".experts." + std::to_string(i) + ".";
        append(gates, expert + (mixtral ? "w1" : "gate_proj") + ".weight");
        append(ups, expert + (mixtral ? "w3" : "up_proj") + ".weight");
        append(downs, expert + (mixtral ? "w2" : "down_proj") + ".weight");
    }
    const std::uint64_t experts = model.experts();
    writer.tensor(to + "gate_exps.weight", {dim, width, experts}, f32, encoded(gates, f32));
    writer.tensor(to + "up_exps.weight", {dim, width, experts}, f32, encoded(ups, f32));
    writer.tensor(to + "down_exps.weight", {width, dim, experts}, f32, encoded(downs, f32));
}

/// Adds Granite's shared network, with gate and up in separate tensors.
void add_shared(GgufWriter& writer, const FamilyCheckpoint& model, std::uint32_t layer)
{
    const std::string at = "model.layers." + std::to_string(layer) + ".shared_mlp.";
    const std::string to = "blk." + std::to_string(layer) + ".ffn_";
    const std::uint64_t dim = model.count("hidden_size");
    const std::uint64_t width = model.count("shared_intermediate_size");
    const auto& both = model.tensors.at(at + "input_linear.weight").values;
    const auto half = both.begin() + static_cast<std::ptrdiff_t>(width * dim);
    const std::vector<float> gate(both.begin(), half), up(half, both.end());
    writer.tensor(to + "gate_shexp.weight", {dim, width}, f32, encoded(gate, f32));
    writer.tensor(to + "up_shexp.weight", {dim, width}, f32, encoded(up, f32));
    writer.tensor(to + "down_shexp.weight", {width, dim}, f32,
                  encoded(model.tensors.at(at + "output_linear.weight").values, f32));
}

/// Returns whether the tensor is stored in one tensor with those of the layer's other experts.
bool is_of_experts(const std::string& name)
{
    return name.find(".experts.") != std::string::npos ||
           name.find("put_linear.") != std::string::npos;
}

/// Adds the matrices of keys and values, which are one tensor in the checkpoint, as newer
/// converters write them. The keys' matrix is transposed head by head.
void add_ups(GgufWriter& writer, const FamilyCheckpoint& model, std::uint32_t layer)
{
    const std::string at = "model.layers." + std::to_string(layer) + ".self_attn.kv_b_proj.weight";
    const std::string to = "blk." + std::to_string(layer) + ".attn_";
    const std::uint64_t heads = model.count("num_attention_heads");
    const std::uint64_t latent = model.count("kv_lora_rank"), value = model.count("v_head_dim");
    const std::uint64_t nope = model.count("qk_nope_head_dim");
    const std::vector<float>& both = model.tensors.at(at).values;
    std::vector<float> keys, values;
    for (std::uint64_t head = 0; head < heads; ++head) {
        const std::uint64_t own = head * (nope + value) * latent;
        for (std::uint64_t l = 0; l < latent; ++l)
            for (std::uint64_t d = 0; d < nope; ++d)
                keys.push_back(both[own + d * latent + l]);
        for (std::uint64_t i = nope * latent; i < (nope + value) * latent; ++i)
            values.push_back(both[own + i]);
    }
    writer.tensor(to + "k_b.weight", {nope, latent, heads}, f32, encoded(keys, f32));
    writer.tensor(to + "v_b.weight", {latent, value, heads}, f32, encoded(values, f32));
}

/// Returns whether to write the model as newer converters do. This depends on the title, so that
/// both variants occur.
bool has_ups(const FamilyCheckpoint& model)
{
    return model.is_latent() && model.title.size() % 2 == 0;
}

void add_tensors(GgufWriter& writer, const FamilyCheckpoint& model)
{
    for (std::uint32_t i = 0; has_ups(model) && i < model.count("num_hidden_layers"); ++i)
        add_ups(writer, model, i);
    for (std::uint32_t i = 0; model.has_experts() && i < model.count("num_hidden_layers"); ++i)
        if (model.type() == "gpt_oss")
            add_turned_experts(writer, model, i);
        else if (model.is_sparse(i))
            add_experts(writer, model, i);
    for (std::uint32_t i = 0;
         model.type() == "granitemoeshared" && i < model.count("num_hidden_layers"); ++i)
        add_shared(writer, model, i);
    const std::string type = model.type();
    const bool permutes =
        std::set<std::string>{"llama",      "mistral",  "ministral3",      "arcee",
                              "smollm3",    "granite",  "mixtral",         "olmo",
                              "granitemoe", "deepseek", "granitemoeshared"}
            .contains(type);
    for (const auto& [name, tensor] : model.tensors) {
        if (is_of_experts(name) ||
            (has_ups(model) && name.find(".kv_b_proj.") != std::string::npos))
            continue;
        std::vector<float> values = tensor.values;
        const bool of_q_or_k = name.find(".q_proj.") != std::string::npos ||
                               name.find(".k_proj.") != std::string::npos;
        if (permutes && of_q_or_k)
            values = permuted(tensor, model.head_dim());
        if ((type.starts_with("gemma") || type == "nemotron") && name.ends_with("norm.weight"))
            for (float& value : values)
                value += 1.0F;
        const std::vector<std::uint64_t> dimensions(tensor.shape.rbegin(), tensor.shape.rend());
        writer.tensor(converted_name(type, name), dimensions, f32, encoded(values, f32));
    }
}

void add_yarn(GgufWriter& writer, const std::string& at, const Json& scaling)
{
    writer.text(at + "scaling.type", "yarn");
    writer.number(at + "scaling.factor", scaling.at("factor"));
    writer.u32(at + "scaling.original_context_length",
               scaling.at("original_max_position_embeddings"));
    if (scaling.contains("beta_fast")) {
        writer.number(at + "scaling.yarn_beta_fast", scaling["beta_fast"]);
        writer.number(at + "scaling.yarn_beta_slow", scaling["beta_slow"]);
    }
    if (scaling.contains("mscale_all_dim")) // Only DeepSeek includes a factor of 0.1.
        writer.number(at + "scaling.yarn_log_multiplier",
                      (at.starts_with("deepseek2.") ? 0.1F : 1.0F) *
                          scaling["mscale_all_dim"].get<float>());
}

/// Returns the rotation's base for layers that have none of their own. It is at the top level or in
/// rope_parameters.
double base_of(const Json& config)
{
    const Json parameters = config.value("rope_parameters", Json::object());
    const Json top = config.value("rope_theta", Json());
    return top.is_null() ? parameters.value("rope_theta", 1e6) : top.get<double>();
}

void add_rotation(GgufWriter& writer, const FamilyCheckpoint& model, const std::string& name)
{
    const std::string at = name + ".rope.";
    // The last layer is a global one.
    const std::uint32_t last = model.count("num_hidden_layers") - 1;
    const Rotation rotation = rotation_of(model, last);
    const auto pairs = static_cast<std::uint32_t>(rotation.radians.size());
    if (2 * pairs != model.head_dim() || model.is_latent())
        writer.u32(at + "dimension_count", 2 * pairs);
    const double base = base_of(model.config);
    writer.number(at + "freq_base", static_cast<float>(base));
    if (name == "gemma3")
        writer.number(at + "freq_base_swa", model.config.value("rope_local_base_freq", 1e4F));
    const Json parameters = model.config.value("rope_parameters", Json::object());
    const Json scaling = model.config.value("rope_scaling", parameters);
    const std::string type = scaling.value("rope_type", scaling.value("type", "none"));
    if (scaling.contains("llama_4_scaling_beta"))
        writer.number(name + ".attention.temperature_scale", scaling["llama_4_scaling_beta"]);
    std::vector<float> divisors;
    for (std::uint32_t i = 0; i < pairs; ++i)
        divisors.push_back(
            static_cast<float>(std::pow(base, -1.0 * i / pairs) / rotation.radians[i]));
    if (type == "linear") {
        writer.text(at + "scaling.type", "linear");
        writer.number(at + "scaling.factor", scaling.at("factor"));
    } else if (type == "yarn") {
        add_yarn(writer, at, scaling);
    } else if (type == "llama3") {
        writer.tensor("rope_freqs.weight", {pairs}, f32, encoded(divisors, f32));
    } else if (type == "longrope") {
        writer.tensor("rope_factors_short.weight", {pairs}, f32, encoded(divisors, f32));
        writer.tensor("rope_factors_long.weight", {pairs}, f32,
                      encoded(std::vector<float>(pairs, 16.0F), f32));
        writer.u32(at + "scaling.original_context_length",
                   model.count("original_max_position_embeddings"));
        writer.number(at + "scaling.attn_factor", static_cast<float>(rotation.factor));
    }
}

/// Adds the numbers that converters copy from config.json.
void add_numbers(GgufWriter& writer, const FamilyCheckpoint& model, const std::string& name)
{
    const std::map<std::string, std::string> keys{
        {"embedding_multiplier", "embedding_scale"},
        {"residual_multiplier", "residual_scale"},
        {"attention_multiplier", "attention.scale"},
        {"logits_scaling", "logit_scale"},
        {"logit_scale", "logit_scale"},
        {"attn_logit_softcapping", "attn_logit_softcapping"},
        {"final_logit_softcapping", "final_logit_softcapping"}};
    for (const auto& [key, converted] : keys)
        if (model.config.contains(key) && !model.config[key].is_null())
            writer.number(name + "." + converted, model.config[key]);
    if (name == "command-r" && !model.config.contains("logit_scale"))
        writer.number(name + ".logit_scale", 0.0625F);
    if (model.config.contains("sliding_window") && !model.config["sliding_window"].is_null())
        writer.u32(name + ".attention.sliding_window", model.count("sliding_window"));
    if (model.config.contains("layer_types")) {
        std::vector<std::uint8_t> local;
        for (const auto& type : model.config["layer_types"])
            local.push_back(type == "sliding_attention" ? 1 : 0);
        writer.array(name + ".attention.sliding_window_pattern", 7, local);
    } else if (model.config.contains("sliding_window_pattern") &&
               !model.config["sliding_window_pattern"].is_null())
        writer.u32(name + ".attention.sliding_window_pattern",
                   model.count("sliding_window_pattern"));
    if (name == "stablelm") // Converters write true if the config has no value.
        writer.flag(name + ".use_parallel_residual", true);
}

void add_mixture_numbers(GgufWriter& writer, const FamilyCheckpoint& model, const std::string& name)
{
    const Json& config = model.config;
    const std::map<std::string, std::string> counts{
        {"first_k_dense_replace", "leading_dense_block_count"},
        {"moe_layer_start_index", "leading_dense_block_count"},
        {"moe_layer_interval", "interleave_moe_layer_step"},
        {"n_shared_experts", "expert_shared_count"},
        {"n_group", "expert_group_count"},
        {"topk_group", "expert_group_used_count"},
        {"moe_num_shared_experts", "expert_shared_count"},
        {"shared_intermediate_size", "expert_shared_feed_forward_length"},
        {"shared_expert_intermediate_size", "expert_shared_feed_forward_length"}};
    for (const auto& [key, converted] : counts)
        if (config.contains(key) && !config[key].is_null())
            writer.u32(name + "." + converted, model.count(key.c_str()));
    if (config.contains("routed_scaling_factor"))
        writer.number(name + ".expert_weights_scale", config["routed_scaling_factor"]);
    if (name == "glm4moe" || config.value("scoring_func", "softmax") == "sigmoid")
        writer.u32(name + ".expert_gating_func", 2);
}

void add_heads(GgufWriter& writer, const FamilyCheckpoint& model, const std::string& name)
{
    const std::string at = name + ".attention.";
    const bool latent = model.is_latent(), cached = has_ups(model);
    const std::uint32_t key = model.head_dim();
    writer.u32(at + "head_count_kv", cached ? 1 : model.count("num_key_value_heads"));
    if (!latent) {
        writer.u32(at + "key_length", key);
        writer.u32(at + "value_length", key);
        return;
    }
    const std::uint32_t rank = model.count("kv_lora_rank"), value = model.count("v_head_dim");
    writer.u32(at + "kv_lora_rank", rank);
    if (!model.config.at("q_lora_rank").is_null())
        writer.u32(at + "q_lora_rank", model.count("q_lora_rank"));
    writer.u32(at + "key_length", cached ? rank + model.count("qk_rope_head_dim") : key);
    writer.u32(at + "value_length", cached ? rank : value);
    if (cached) {
        writer.u32(at + "key_length_mla", key);
        writer.u32(at + "value_length_mla", value);
    }
}

GgufWriter converted(const FamilyCheckpoint& model)
{
    const std::string name = architectures.at(model.type());
    GgufWriter writer;
    writer.text("general.architecture", name);
    writer.u32(name + ".context_length", model.count("max_position_embeddings"));
    writer.u32(name + ".embedding_length", model.count("hidden_size"));
    const std::uint32_t further = model.config.value("num_nextn_predict_layers", 0U);
    writer.u32(name + ".block_count", model.count("num_hidden_layers") + further);
    if (further != 0)
        writer.u32(name + ".nextn_predict_layers", further);
    writer.u32(name + ".feed_forward_length", model.count("intermediate_size"));
    writer.u32(name + ".attention.head_count", model.count("num_attention_heads"));
    add_heads(writer, model, name);
    if (model.has_experts()) {
        writer.u32(name + ".expert_count", model.experts());
        writer.u32(name + ".expert_used_count", model.chosen());
        writer.u32(name + ".expert_feed_forward_length", model.expert_width());
        add_mixture_numbers(writer, model, name);
    }
    const Json& config = model.config;
    const bool centred = config.contains("layer_norm_eps") || config.contains("norm_eps") ||
                         config.contains("norm_epsilon") || name == "olmo";
    const float epsilon = config.value(
        "layer_norm_eps", config.value("norm_eps", config.value("norm_epsilon", 1e-5F)));
    writer.number(
        name + (centred ? ".attention.layer_norm_epsilon" : ".attention.layer_norm_rms_epsilon"),
        epsilon);
    add_numbers(writer, model, name);
    add_rotation(writer, model, name);
    add_tensors(writer, model);
    return writer;
}

/// Returns whether the import accepts GGUF files of this model type, and GGUF has keys for
/// everything in the config.
bool is_convertible(const FamilyCheckpoint& model)
{
    if (!architectures.contains(model.type()))
        return false;
    const std::set<std::string> without{"Llama: yarn in rope_parameters",
                                        "Llama: yarn with two magnitudes",
                                        "SmolLM3: interval",
                                        "SmolLM3: list",
                                        "Granite: no multiplier of scores",
                                        "Qwen2 MoE: a layer without experts",
                                        "Qwen3 MoE: a layer without experts",
                                        "Qwen2 MoE: every other layer",
                                        "Ernie 4.5: ends before the last",
                                        "gpt-oss: another limit",
                                        "Gemma 2: no cap of scores",
                                        "Gemma 2: no cap of logits",
                                        "Gemma 2: no width of scores",
                                        "Gemma 3: rope_parameters of both"};
    return !without.contains(model.title);
}

/// Returns the model with scores scaled by the root of the head width, because GGUF has no key for
/// another width.
FamilyCheckpoint with_plain_scores(FamilyCheckpoint model)
{
    if (model.config.contains("query_pre_attn_scalar"))
        model.config["query_pre_attn_scalar"] = model.head_dim();
    return model;
}

/// Returns the largest difference at any position, relative to the logits at that position.
template <typename Logits>
double difference(const FamilyCheckpoint& model, const std::vector<Logits>& found)
{
    const auto expected = family_logits(model, tokens);
    double largest = 0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        double error = 0, square = 0;
        for (std::size_t i = 0; i < expected[t].size(); ++i) {
            error += std::pow(static_cast<double>(found[t].at(i)) - expected[t][i], 2);
            square += std::pow(expected[t][i], 2);
        }
        largest = std::max(largest, std::sqrt(error / square));
    }
    return largest;
}

double difference(const FamilyCheckpoint& model, const GgufWriter& writer)
{
    return difference(model, plain_logits(imported(writer), tokens));
}

/// Returns the same difference with the machines' arithmetic, INT8 weights and INT16 values.
double difference_in_codes(const FamilyCheckpoint& model, const GgufWriter& writer)
{
    const ModelImage image = imported(writer, LEVEE_TYPE_INT8);
    ComposedTransformer transformer(image);
    std::vector<std::vector<float>> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return difference(model, logits);
}

const FamilyCheckpoint& family(const std::vector<FamilyCheckpoint>& models,
                               const std::string& title)
{
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const auto& model) { return model.title == title; });
    REQUIRE(found != models.end());
    return *found;
}

} // namespace

TEST_CASE("Families imported from a GGUF file compute what their descriptions say")
{
    for (const FamilyCheckpoint& published : family_checkpoints()) {
        INFO(published.title);
        if (!is_convertible(published))
            continue;
        const FamilyCheckpoint model = with_plain_scores(published);
        CHECK(difference(model, converted(model)) < 1e-5);
        // INT8 rows and INT16 values deviate by 1 to 11 % of these logits, which vary widely.
        CHECK(difference_in_codes(model, converted(model)) < 0.15);
    }
}

TEST_CASE("Mixtures of experts imported from a GGUF file compute what their descriptions say")
{
    // Without a key, the family decides whether weights are normalised over all experts (OLMoE) or
    // over the chosen ones. These models differ from their family.
    const std::set<std::string> otherwise{
        "Qwen3 MoE: weights of all", "Qwen2 MoE: weights of the chosen",
        "GLM 4.5: weights as they are", "OLMoE: weights of the chosen"};
    for (FamilyCheckpoint model : mixture_checkpoints()) {
        INFO(model.title);
        if (!is_convertible(model))
            continue;
        if (model.type() == "gpt_oss")
            model.config["swiglu_limit"] = 7.0; // GGUF has no key for this value.
        GgufWriter writer = converted(model);
        if (otherwise.contains(model.title))
            writer.flag(std::string(architectures.at(model.type())) + ".expert_weights_norm",
                        model.config.at("norm_topk_prob"));
        CHECK(difference(model, writer) < 1e-5);
    }
    for (FamilyCheckpoint model : latent_checkpoints()) {
        INFO(model.title);
        if (model.title == "DeepSeek V2 Lite: yarn with two magnitudes") // GGUF has no key that
                                                                         // states both.
            continue;
        model.config.erase("num_nextn_predict_layers"); // Converters leave these layers out.
        std::erase_if(model.tensors,
                      [](const auto& item) { return item.first.ends_with("eh_proj.weight"); });
        GgufWriter writer = converted(model);
        writer.flag("deepseek2.expert_weights_norm", model.config.at("norm_topk_prob"));
        CHECK(difference(model, writer) < 1e-5);
        // In the other models, rounding makes the routers choose different experts.
        if (model.title == "DeepSeek V2 Lite")
            CHECK(difference_in_codes(model, writer) < 0.15);
    }
    GgufWriter sigmoid = converted(family(mixture_checkpoints(), "OLMoE"));
    sigmoid.u32("olmoe.expert_gating_func", 4);
    CHECK(import_error(sigmoid) ==
          "m.gguf: key olmoe.expert_gating_func: 4, expected 1 or 3 (softmax), or 2 (sigmoid)");
    FamilyCheckpoint grouped = family(mixture_checkpoints(), "GLM 4.5");
    grouped.config["n_group"] = 4;
    CHECK_THAT(import_error(converted(grouped)),
               Catch::Contains("glm4moe.expert_group_count: 4: not supported"));
    GgufWriter several = converted(family(mixture_checkpoints(), "Qwen2 MoE"));
    several.u32("qwen2moe.expert_shared_count", 7);
    CHECK_THAT(
        import_error(several),
        Catch::Contains("qwen2moe.expert_shared_count: 7, expected the number in its tensors"));
    FamilyCheckpoint windowless = family(mixture_checkpoints(), "gpt-oss");
    windowless.config.erase("sliding_window");
    CHECK_THAT(import_error(converted(windowless)),
               Catch::Contains("gpt-oss.attention.sliding_window: absent"));
    GgufWriter shared = converted(family(mixture_checkpoints(), "OLMoE"));
    shared.u32("olmoe.expert_shared_count", 1);
    CHECK_THAT(import_error(shared), Catch::Contains("olmoe.expert_shared_count: 1"));
}

TEST_CASE("Keys of latent attention that contradict each other, or are odd, are named")
{
    const auto models = latent_checkpoints();
    const std::string at = "deepseek2.attention.";
    for (const FamilyCheckpoint* model :
         {&family(models, "DeepSeek V2 Lite"),
          &family(models, "DeepSeek V2 Lite: as many rotated as latent")}) {
        const bool cached = has_ups(*model);
        const std::uint32_t rank = model->count("kv_lora_rank"), rope = 8, key = 14, value = 10;
        const auto fault = [&](const std::string& name, std::uint32_t number) {
            GgufWriter writer = converted(*model);
            writer.u32("deepseek2." + name, number);
            return import_error(writer);
        };
        INFO(model->title);
        CHECK(import_error(converted(*model)) == "no error");
        CHECK_THAT(fault("attention.head_count_kv", 3),
                   Catch::Contains(at + "head_count_kv: 3, expected 1, or head_count, 4"));
        CHECK(fault("attention.head_count_kv", 1) == "no error");
        CHECK_THAT(fault("attention.kv_lora_rank", rank + 1),
                   Catch::Contains(at + "kv_lora_rank: " + std::to_string(rank + 1) +
                                   ", expected an even number"));
        CHECK_THAT(fault("rope.dimension_count", rope + 1),
                   Catch::Contains("rope.dimension_count: 9, expected an even number"));
        GgufWriter scaled = converted(*model);
        scaled.number("deepseek2.rope.scaling.attn_factor", 1.25F);
        CHECK_THAT(import_error(scaled), Catch::Contains("rope.scaling.attn_factor: 1.25"));
        if (cached) {
            CHECK_THAT(fault("attention.key_length", key),
                       Catch::Contains(at + "key_length: 14, expected " +
                                       std::to_string(rank + rope) +
                                       ", kv_lora_rank and rope.dimension_count"));
            CHECK_THAT(fault("attention.value_length", value),
                       Catch::Contains(at + "value_length: 10, expected " + std::to_string(rank) +
                                       ", kv_lora_rank"));
        } else {
            CHECK_THAT(fault("attention.key_length_mla", key),
                       Catch::Contains(at + "value_length_mla: absent"));
            CHECK_THAT(fault("attention.value_length_mla", value),
                       Catch::Contains(at + "key_length_mla: absent"));
        }
    }
    CHECK(has_ups(family(models, "DeepSeek V2 Lite")) !=
          has_ups(family(models, "DeepSeek V2 Lite: as many rotated as latent")));
    GgufWriter wide = converted(family(models, "DeepSeek V2 Lite"));
    wide.u32("deepseek2.expert_shared_feed_forward_length", 16);
    CHECK_THAT(import_error(wide), Catch::Contains("expert_shared_feed_forward_length: 16, "
                                                   "expected the width that its tensors have, 32"));
}

TEST_CASE("GGUF keys of single families change the computation or are refused")
{
    const auto models = family_checkpoints();
    const auto fault = [&](const std::string& title, const std::string& key) {
        GgufWriter writer = converted(with_plain_scores(family(models, title)));
        const std::string name = architectures.at(family(models, title).type());
        writer.number(name + "." + key, 3.0F);
        return import_error(writer);
    };
    for (const char* const key :
         {"attention.scale", "embedding_scale", "residual_scale", "logit_scale",
          "attn_logit_softcapping", "final_logit_softcapping", "rope.freq_base_swa",
          "attention.clamp_kqv", "rope.scaling.yarn_log_multiplier", "expert_count"}) {
        INFO(key);
        CHECK_THAT(fault("Qwen3", key),
                   Catch::StartsWith("m.gguf: key qwen3." + std::string(key)) &&
                       Catch::Contains("not supported, expected none"));
    }
    CHECK(fault("Granite", "attention.scale") == "no error");
    CHECK(fault("Gemma 2", "final_logit_softcapping") == "no error");
    CHECK_THAT(fault("OLMo", "attention.clamp_kqv"),
               Catch::Contains("olmo.attention.clamp_kqv: 3"));
}

TEST_CASE("Gemma's largest models scale scores by another width")
{
    FamilyCheckpoint model = family(family_checkpoints(), "Gemma 2");
    model.config["num_hidden_layers"] = 46;
    for (const auto& [name, tensor] : std::map(model.tensors)) {
        const std::string first = "model.layers.0.";
        for (int layer = 4; layer < 46 && name.starts_with(first); ++layer)
            model.tensors["model.layers." + std::to_string(layer) + "." +
                          name.substr(first.size())] = tensor;
    }
    const GgufWriter writer = converted(model);
    model.config["query_pre_attn_scalar"] = 8; // The width is 32 / 4 heads; heads have 12 values.
    CHECK(difference(model, writer) < 1e-4);
    model.config["query_pre_attn_scalar"] = 12;
    CHECK(difference(model, writer) > 1e-2);
}

TEST_CASE("A sliding window of a GGUF file is in the image")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(with_plain_scores(family(models, "Gemma 3")));
    const ModelImage image = imported(writer);
    CHECK(image.shape().window == 32);
    CHECK(image.shape().local_phases);
    CHECK(image.shape().layer_flags ==
          std::vector<std::uint32_t>{LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL});
}

TEST_CASE("Windows of GGUF files follow their descriptions, also in texts longer than a window")
{
    const auto models = family_checkpoints();
    for (const std::string title : {"OLMo 3", "OLMo 3: yarn", "EXAONE 4", "Gemma 3", "Cohere 2"}) {
        INFO(title);
        FamilyCheckpoint model = with_plain_scores(family(models, title));
        model.config["sliding_window"] = 3;
        CHECK(difference(model, converted(model)) < 1e-5);
    }
    // llama.cpp assumes this window and base for files that do not list the local layers.
    FamilyCheckpoint silent = family(models, "OLMo 3: types not given");
    silent.config["sliding_window"] = 3;
    GgufWriter writer = converted(silent);
    CHECK(difference(silent, writer) < 1e-5);
    writer.number("olmo2.rope.freq_base_swa", 99.0F);
    CHECK(difference(silent, writer) > 1e-3);
}

TEST_CASE("Local layers of a GGUF file have a separate rotation only if it differs")
{
    const auto models = family_checkpoints();
    CHECK(imported(converted(family(models, "OLMo 3: yarn"))).shape().local_phases);
    CHECK_FALSE(imported(converted(family(models, "OLMo 3"))).shape().local_phases);
}

TEST_CASE("Ministral 3's context ends where its queries begin to grow")
{
    GgufWriter writer = converted(family(family_checkpoints(), "Ministral 3"));
    writer.u32("mistral3.context_length", 256);
    const GgufOnDisk file(writer.bytes());
    const ModelSource source = gguf_source(file.path(), {});
    CHECK(source.shape.max_context == 64);
    CHECK_THAT(source.notes.at(0),
               Catch::Contains("for up to 64 tokens (mistral3.attention.temperature_scale)"));
    writer.number("mistral3.attention.temperature_scale", 0.0F);
    CHECK(imported(writer).shape().max_context == 256);
}

TEST_CASE("Positions of long texts limit the context of a GGUF file")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(family(models, "Phi-3: longrope"));
    CHECK(imported(writer).shape().max_context == 16);
    writer.drop_tensor("rope_factors_short.weight");
    writer.text("phi3.rope.scaling.type", "longrope");
    CHECK(import_error(writer) ==
          "m.gguf: tensor rope_factors_short.weight: absent, expected one with longrope");
}

TEST_CASE("More chosen experts than a GGUF file has are refused")
{
    GgufWriter writer = converted(family(mixture_checkpoints(), "OLMoE"));
    writer.u32("olmoe.expert_used_count", 99);
    CHECK_THAT(import_error(writer),
               Catch::StartsWith("m.gguf: key olmoe.expert_used_count: 99, expected 1 to "));
}

TEST_CASE("A pattern of windows is a period, or a flag for each layer")
{
    const auto models = family_checkpoints();
    const FamilyCheckpoint model = with_plain_scores(family(models, "Gemma 3"));
    const std::string key = "gemma3.attention.sliding_window_pattern";
    GgufWriter writer = converted(model);
    writer.array(key, 7, std::vector<std::uint8_t>{1, 0});
    CHECK(import_error(writer) == "m.gguf: key " + key +
                                      ": an array of 2 bool, expected one of 4 bool, one per layer "
                                      "(block_count)");
    writer.u32(key, 0);
    CHECK_THAT(import_error(writer), Catch::Contains("key " + key + ": 0, expected 1 to"));
    GgufWriter qwen3 = converted(family(models, "Qwen3"));
    qwen3.u32("qwen3.attention.sliding_window_pattern", 2);
    CHECK_THAT(import_error(qwen3), Catch::EndsWith("not supported, expected none"));
}

TEST_CASE("Rules of a byte-level tokenizer are named if the architecture has none")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(family(models, "Qwen3"));
    writer.text("tokenizer.ggml.model", "gpt2");
    CHECK_THAT(import_error(writer),
               Catch::StartsWith("m.gguf: key tokenizer.ggml.pre: absent, expected gpt-2, qwen2"));
}

TEST_CASE("Unknown keys of a GGUF file are refused, or ignored on request")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(family(models, "Llama"));
    writer.u32("llama.pooling_type", 0);
    writer.u32("llama.ssm.state_size", 128); // Dense Granites have this key, too.
    writer.u32("general.something_new", 3);
    CHECK(import_error(writer) == "no error");
    writer.u32("llama.something_new", 3);
    CHECK_THAT(import_error(writer),
               Catch::StartsWith("m.gguf: key llama.something_new: expected no such key") &&
                   Catch::EndsWith("--ignore-key llama.something_new if it does not"));
    const GgufOnDisk file(writer.bytes());
    CHECK_THAT(gguf_source(file.path(), {.ignored_keys = {"llama.something_new"}}).notes.at(0),
               Catch::StartsWith("keys were ignored on request") &&
                   Catch::EndsWith(": llama.something_new"));
    for (const std::string known : {"llama.pooling_type", "llama.absent"})
        CHECK_THROWS_WITH(gguf_source(file.path(), {.ignored_keys = {known}}),
                          Catch::EndsWith("expected one of llama.something_new"));
}

namespace {

/// Writes a model's file, and a text file with its title and one line of expected logits for each
/// token.
void write_files(const std::filesystem::path& stem, const FamilyCheckpoint& model)
{
    const std::string name = architectures.at(model.type());
    GgufWriter writer = converted(model);
    if (model.has_experts() && model.config.contains("norm_topk_prob"))
        writer.flag(name + ".expert_weights_norm", model.config.at("norm_topk_prob"));
    writer.text("tokenizer.ggml.model", "none");
    writer.u32(name + ".vocab_size", model.count("vocab_size"));
    std::ofstream(stem.string() + ".gguf", std::ios::binary) << writer.bytes();
    std::ofstream text(stem.string() + ".txt");
    text << model.title << "\n";
    for (const auto& logits : family_logits(model, tokens)) {
        for (const double logit : logits)
            text << logit << " ";
        text << "\n";
    }
}

} // namespace

// Writes the files for test/python/llama_cpp_families_test.py, which runs this case.
TEST_CASE("Files of all families for another program", "[.]")
{
    const char* const folder = std::getenv("LEVEE_FAMILY_FILES");
    REQUIRE(folder != nullptr);
    int number = 100;
    for (const auto& list : {family_checkpoints(), mixture_checkpoints(), latent_checkpoints()})
        for (const FamilyCheckpoint& published : list) {
            FamilyCheckpoint model = with_plain_scores(published);
            if (!is_convertible(model) || model.config.contains("num_nextn_predict_layers"))
                continue;
            if (model.type() == "gpt_oss")
                model.config["swiglu_limit"] = 7.0;
            write_files(std::filesystem::path(folder) / std::to_string(number++), model);
        }
}
