// SPDX-License-Identifier: Apache-2.0
// Small models of every family as converters of llama.cpp write them, imported, against what the
// families' descriptions compute from the checkpoint.
#include "test/reference/composed_transformer.hpp"
#include "test/reference/family_transformer.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/unit/gguf/imported.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace levee;
using namespace levee::test;

namespace {

using Json = nlohmann::json;

const std::vector<std::uint32_t> tokens{3, 49, 0, 17, 17, 42, 8, 1, 30, 5, 22, 11};

const std::map<std::string, std::string> architectures{
    {"llama", "llama"},        {"mistral", "llama"},
    {"qwen2", "qwen2"},        {"qwen3", "qwen3"},
    {"smollm3", "smollm3"},    {"granite", "granite"},
    {"gemma", "gemma"},        {"gemma2", "gemma2"},
    {"gemma3_text", "gemma3"}, {"phi3", "phi3"},
    {"olmo", "olmo"},          {"olmo2", "olmo2"},
    {"nemotron", "nemotron"},  {"starcoder2", "starcoder2"},
    {"stablelm", "stablelm"},  {"cohere", "command-r"},
    {"cohere2", "cohere2"},    {"glm4", "glm4"},
    {"mixtral", "llama"},      {"qwen3_moe", "qwen3moe"},
    {"olmoe", "olmoe"},        {"granitemoe", "granitemoe"}};

/// Names in a file, by what checkpoints call them; of families that call other things so, theirs.
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
    if (type == "gemma2" || type == "gemma3_text" || type == "olmo2")
        names["post_attention_layernorm"] = "post_attention_norm";
    const auto dot = name.rfind('.');
    const std::string end = name.substr(dot), stem = name.substr(0, dot);
    const std::string layers = "model.layers.";
    if (stem.starts_with(layers)) {
        const auto behind = stem.find('.', layers.size());
        return "blk." + stem.substr(layers.size(), behind - layers.size()) + "." +
               names.at(stem.substr(behind + 1)) + end;
    }
    return (stem == "model.embed_tokens" ? "token_embd"
            : stem == "model.norm"       ? "output_norm"
                                         : "output") +
           end;
}

/// Rows of a head that are rotated together become neighbours.
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

bool is_mixture(const FamilyCheckpoint& model)
{
    return model.config.contains("num_experts_per_tok");
}

/// Matrices of all experts of a layer as one tensor, by the names that checkpoints give them.
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
    if (model.type() == "granitemoe") {
        const auto& both = model.tensors.at(at + "block_sparse_moe.input_linear.weight").values;
        const auto half = static_cast<std::ptrdiff_t>(width * dim);
        for (auto first = both.begin(); first != both.end(); first += 2 * half) {
            gates.insert(gates.end(), first, first + half);
            ups.insert(ups.end(), first + half, first + 2 * half);
        }
        append(downs, at + "block_sparse_moe.output_linear.weight");
    }
    for (std::uint32_t i = 0; i < model.experts() && model.type() != "granitemoe"; ++i) {
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

bool is_of_experts(const std::string& name)
{
    return name.find(".experts.") != std::string::npos ||
           name.find("put_linear.") != std::string::npos;
}

void add_tensors(GgufWriter& writer, const FamilyCheckpoint& model)
{
    for (std::uint32_t i = 0; is_mixture(model) && i < model.count("num_hidden_layers"); ++i)
        add_experts(writer, model, i);
    const std::string type = model.type();
    const bool permutes = std::set<std::string>{"llama",   "mistral", "smollm3",   "granite",
                                                "mixtral", "olmo",    "granitemoe"}
                              .contains(type);
    for (const auto& [name, tensor] : model.tensors) {
        if (is_of_experts(name))
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
}

void add_rotation(GgufWriter& writer, const FamilyCheckpoint& model, const std::string& name)
{
    const std::string at = name + ".rope.";
    const std::uint32_t last = model.count("num_hidden_layers") - 1; // a global one
    const Rotation rotation = rotation_of(model, last);
    const auto pairs = static_cast<std::uint32_t>(rotation.radians.size());
    if (2 * pairs != model.head_dim())
        writer.u32(at + "dimension_count", 2 * pairs);
    writer.number(at + "freq_base", model.config.value("rope_theta", 1e6F));
    if (name == "gemma3")
        writer.number(at + "freq_base_swa", model.config.value("rope_local_base_freq", 1e4F));
    const Json scaling = model.config.value("rope_scaling", Json::object());
    const std::string type = scaling.value("rope_type", scaling.value("type", "none"));
    std::vector<float> divisors;
    for (std::uint32_t i = 0; i < pairs; ++i)
        divisors.push_back(
            static_cast<float>(std::pow(model.config.value("rope_theta", 1e6), -1.0 * i / pairs) /
                               rotation.radians[i]));
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

/// Numbers of config.json that converters carry over.
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
    if (model.config.contains("sliding_window"))
        writer.u32(name + ".attention.sliding_window", model.count("sliding_window"));
    if (model.config.contains("layer_types")) {
        std::vector<std::uint8_t> local;
        for (const auto& type : model.config["layer_types"])
            local.push_back(type == "sliding_attention" ? 1 : 0);
        writer.array(name + ".attention.sliding_window_pattern", 7, local);
    } else if (model.config.contains("sliding_window_pattern"))
        writer.u32(name + ".attention.sliding_window_pattern",
                   model.count("sliding_window_pattern"));
    if (name == "stablelm") // converters write true for a config that is silent
        writer.flag(name + ".use_parallel_residual", true);
}

GgufWriter converted(const FamilyCheckpoint& model)
{
    const std::string name = architectures.at(model.type());
    GgufWriter writer;
    writer.text("general.architecture", name);
    writer.u32(name + ".context_length", model.count("max_position_embeddings"));
    writer.u32(name + ".embedding_length", model.count("hidden_size"));
    writer.u32(name + ".block_count", model.count("num_hidden_layers"));
    writer.u32(name + ".feed_forward_length", model.count("intermediate_size"));
    writer.u32(name + ".attention.head_count", model.count("num_attention_heads"));
    writer.u32(name + ".attention.head_count_kv", model.count("num_key_value_heads"));
    writer.u32(name + ".attention.key_length", model.head_dim());
    writer.u32(name + ".attention.value_length", model.head_dim());
    if (is_mixture(model)) {
        writer.u32(name + ".expert_count", model.experts());
        writer.u32(name + ".expert_used_count", model.count("num_experts_per_tok"));
        writer.u32(name + ".expert_feed_forward_length", model.expert_width());
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

/// Whether converters have keys for all that the config says.
bool is_convertible(const FamilyCheckpoint& model)
{
    const std::set<std::string> without{"Llama: yarn in rope_parameters",
                                        "Llama: yarn with two magnitudes",
                                        "SmolLM3: interval",
                                        "SmolLM3: list",
                                        "Granite: no multiplier of scores",
                                        "Gemma 2: no cap of scores",
                                        "Gemma 2: no cap of logits",
                                        "Gemma 2: no width of scores",
                                        "Gemma 3: rope_parameters of both"};
    return !without.contains(model.title);
}

/// Scores are scaled by the root of a head's length: no key says another width.
FamilyCheckpoint with_plain_scores(FamilyCheckpoint model)
{
    if (model.config.contains("query_pre_attn_scalar"))
        model.config["query_pre_attn_scalar"] = model.head_dim();
    return model;
}

/// The largest difference at any position, as a share of the logits there.
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

/// The same in the arithmetic of machines, with INT8 weights and INT16 values.
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

TEST_CASE("Families compute from a GGUF file what their descriptions say")
{
    for (const FamilyCheckpoint& published : family_checkpoints()) {
        INFO(published.title);
        if (!is_convertible(published))
            continue;
        const FamilyCheckpoint model = with_plain_scores(published);
        CHECK(difference(model, converted(model)) < 1e-5);
        // INT8 rows and INT16 values: 1 to 11 % of these logits, whose scores are far apart.
        CHECK(difference_in_codes(model, converted(model)) < 0.15);
    }
}

TEST_CASE("Mixtures of experts compute from a GGUF file what their descriptions say")
{
    // Without a key the family decides: weights over all experts (OLMoE), or over those chosen.
    const std::set<std::string> otherwise{"Qwen3 MoE: weights of all",
                                          "OLMoE: weights of the chosen"};
    for (const FamilyCheckpoint& model : mixture_checkpoints()) {
        INFO(model.title);
        GgufWriter writer = converted(model);
        if (otherwise.contains(model.title))
            writer.flag(std::string(architectures.at(model.type())) + ".expert_weights_norm",
                        model.config.at("norm_topk_prob"));
        CHECK(difference(model, writer) < 1e-5);
    }
    GgufWriter sigmoid = converted(family(mixture_checkpoints(), "OLMoE"));
    sigmoid.u32("olmoe.expert_gating_func", 2);
    CHECK(import_error(sigmoid) ==
          "m.gguf: key olmoe.expert_gating_func: 2, expected 1 or 3, a softmax");
    GgufWriter shared = converted(family(mixture_checkpoints(), "OLMoE"));
    shared.u32("olmoe.expert_shared_count", 1);
    CHECK_THAT(import_error(shared), Catch::Contains("olmoe.expert_shared_count: 1"));
}

TEST_CASE(
    "Keys that GGUF files of some families alone have change what they compute, or are refused")
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
    model.config["query_pre_attn_scalar"] = 8; // 32 / 4 heads, of a head of 12
    CHECK(difference(model, writer) < 1e-4);
    model.config["query_pre_attn_scalar"] = 12;
    CHECK(difference(model, writer) > 1e-2);
}

TEST_CASE("A sliding window of a GGUF file is in the image, and told")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(with_plain_scores(family(models, "Gemma 3")));
    const ModelImage image = imported(writer);
    CHECK(image.shape().window == 32);
    CHECK(image.shape().local_phases);
    CHECK(image.shape().layer_flags ==
          std::vector<std::uint32_t>{LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL});
    const GgufOnDisk file(writer.bytes());
    CHECK_THAT(gguf_source(file.path(), {}).notes.at(0),
               Catch::StartsWith("gemma3.attention.sliding_window is 32: up to that many tokens"));
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

TEST_CASE("A pattern of windows is a period, or a flag for each layer")
{
    const auto models = family_checkpoints();
    const FamilyCheckpoint model = with_plain_scores(family(models, "Gemma 3"));
    const std::string key = "gemma3.attention.sliding_window_pattern";
    GgufWriter writer = converted(model);
    writer.array(key, 7, std::vector<std::uint8_t>{1, 0});
    CHECK(import_error(writer) == "m.gguf: key " + key +
                                      ": an array of 2 bool, expected one of 4 bool, one a layer "
                                      "(block_count)");
    writer.u32(key, 0);
    CHECK_THAT(import_error(writer), Catch::Contains("key " + key + ": 0, expected 1 to"));
    GgufWriter qwen3 = converted(family(models, "Qwen3"));
    qwen3.u32("qwen3.attention.sliding_window_pattern", 2);
    CHECK_THAT(import_error(qwen3), Catch::EndsWith("not supported, expected none"));
}

TEST_CASE("Rules of a byte-level tokenizer are named where the architecture has none")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(family(models, "Qwen3"));
    writer.text("tokenizer.ggml.model", "gpt2");
    CHECK_THAT(import_error(writer),
               Catch::StartsWith("m.gguf: key tokenizer.ggml.pre: absent, expected gpt-2, qwen2"));
}

TEST_CASE("Keys of a GGUF file that are not known are named")
{
    const auto models = family_checkpoints();
    GgufWriter writer = converted(family(models, "Llama"));
    writer.u32("llama.something_new", 3);
    writer.u32("general.something_new", 3);
    const GgufOnDisk file(writer.bytes());
    CHECK_THAT(gguf_source(file.path(), {}).notes.at(0),
               Catch::StartsWith("it has keys that are not known here") &&
                   Catch::EndsWith(": llama.something_new"));
}
