// SPDX-License-Identifier: Apache-2.0
#include "test/reference/family_checkpoint.hpp"

#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace levee::test {
namespace {

using Json = nlohmann::json;

enum class Gains { plain, biased, less_one, biased_less_one, none };
enum class Head { none, each, all };
enum class Network { gated, fused, fc, plain, experts, mixtral, stacked, turned };

/// Names and forms of the tensors in a family's layers.
struct Layout {
    std::vector<std::string> norms{"input_layernorm", "post_attention_layernorm"};
    Gains gains = Gains::plain;
    Head head_norms = Head::none;
    Network network = Network::gated;
    bool fused_qkv = false;
    bool qkv_biases = false, output_bias = false, network_biases = false;
};

const std::vector<std::string> four_norms{"input_layernorm", "post_attention_layernorm",
                                          "pre_feedforward_layernorm",
                                          "post_feedforward_layernorm"};

Layout layout_of(const FamilyCheckpoint& model)
{
    const std::vector<std::string> one{"input_layernorm"};
    const bool parallel = model.config.value("use_parallel_residual", false);
    const bool stable_biases = model.config.value("use_qkv_bias", false);
    const bool glm_biases = model.config.value("attention_bias", false);
    const std::map<std::string, Layout> layouts{
        {"qwen2", {.qkv_biases = true}},
        {"qwen3", {.head_norms = Head::each}},
        {"qwen3_moe", {.head_norms = Head::each, .network = Network::experts}},
        {"qwen2_moe", {.network = Network::experts, .qkv_biases = true}},
        {"deepseek", {.network = Network::experts}},
        {"deepseek_v2", {.network = Network::experts}},
        {"deepseek_v3", {.network = Network::experts}},
        {"glm4_moe",
         {.head_norms = model.config.value("use_qk_norm", false) ? Head::each : Head::none,
          .network = Network::experts,
          .qkv_biases = glm_biases}},
        {"ernie4_5_moe", {.network = Network::experts}},
        {"gpt_oss",
         {.network = Network::turned,
          .qkv_biases = true,
          .output_bias = true,
          .network_biases = true}},
        {"olmoe", {.head_norms = Head::all, .network = Network::experts}},
        {"mixtral", {.network = Network::mixtral}},
        {"granitemoe", {.network = Network::stacked}},
        {"granitemoeshared", {.network = Network::stacked}},
        {"granitemoehybrid", {.network = Network::stacked}},
        {"phi3", {.network = Network::fused, .fused_qkv = true}},
        {"gemma", {.gains = Gains::less_one}},
        {"gemma2", {.norms = four_norms, .gains = Gains::less_one}},
        {"gemma3_text", {.norms = four_norms, .gains = Gains::less_one, .head_norms = Head::each}},
        {"olmo", {.gains = Gains::none}},
        {"olmo2",
         {.norms = {"post_attention_layernorm", "post_feedforward_layernorm"},
          .head_norms = Head::all}},
        {"olmo3",
         {.norms = {"post_attention_layernorm", "post_feedforward_layernorm"},
          .head_norms = Head::all}},
        {"exaone4",
         {.norms = {"post_attention_layernorm", "post_feedforward_layernorm"},
          .head_norms = Head::each}},
        {"arcee", {.network = Network::plain}},
        {"helium", {.qkv_biases = model.config.value("attention_bias", false)}},
        {"seed_oss", {.qkv_biases = model.config.value("attention_bias", true)}},
        {"internlm3", {.qkv_biases = model.config.value("qkv_bias", false)}},
        {"glm", {.network = Network::fused, .qkv_biases = glm_biases}},
        {"starcoder2",
         {.gains = Gains::biased,
          .network = Network::fc,
          .qkv_biases = model.config.value("use_bias", true),
          .output_bias = model.config.value("use_bias", true),
          .network_biases = model.config.value("use_bias", true)}},
        {"nemotron", {.gains = Gains::biased_less_one, .network = Network::plain}},
        {"stablelm",
         {.norms = parallel ? one : Layout().norms,
          .gains = Gains::biased,
          .qkv_biases = stable_biases}},
        {"cohere", {.norms = one}},
        {"cohere2", {.norms = one}},
        {"glm4",
         {.norms = {"input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm",
                    "post_mlp_layernorm"},
          .network = Network::fused,
          .qkv_biases = glm_biases}}};
    const auto found = layouts.find(model.type());
    Layout layout = found == layouts.end() ? Layout() : found->second;
    const std::set<std::string> of_qkv{"glm", "glm4", "glm4_moe", "helium", "seed_oss"};
    if (model.config.value("attention_bias", false) && !of_qkv.contains(model.type()))
        layout.qkv_biases = layout.output_bias = true;
    layout.network_biases |= model.config.value("mlp_bias", false);
    return layout;
}

class Drawer {
public:
    explicit Drawer(FamilyCheckpoint& model) : model_(model), layout_(layout_of(model)) {}

    void draw()
    {
        const std::uint64_t dim = model_.count("hidden_size"), vocab = model_.count("vocab_size");
        add("model.embed_tokens.weight", {vocab, dim}, 0.0, 1.0);
        for (std::uint32_t layer = 0; layer < model_.count("num_hidden_layers"); ++layer)
            add_layer("model.layers." + std::to_string(layer) + ".", layer);
        // These tensors belong to an omitted layer.
        if (model_.config.value("num_nextn_predict_layers", 0) != 0)
            add("model.layers." + std::to_string(model_.count("num_hidden_layers")) +
                    ".eh_proj.weight",
                {dim, 2 * dim}, 0.0, 1.0);
        norm("model.norm");
        if (!model_.config.at("tie_word_embeddings").get<bool>())
            matrix("lm_head", vocab, dim, false);
    }

private:
    void add(const std::string& name, std::vector<std::uint64_t> shape, double centre, double width)
    {
        FamilyTensor tensor{std::move(shape), {}};
        std::uint64_t size = 1;
        for (const std::uint64_t side : tensor.shape)
            size *= side;
        for (std::uint64_t i = 0; i < size; ++i) {
            state_ = state_ * 6364136223846793005U + 1442695040888963407U;
            const double drawn = static_cast<double>(state_ >> 40) * 0x1p-23 - 1.0;
            tensor.values.push_back(static_cast<float>(centre + width * drawn));
        }
        model_.tensors.emplace(name, std::move(tensor));
    }

    void matrix(const std::string& name, std::uint64_t rows, std::uint64_t cols, bool biased)
    {
        add(name + ".weight", {rows, cols}, 0.0, std::sqrt(6.0 / static_cast<double>(cols)));
        if (biased)
            add(name + ".bias", {rows}, 0.0, 0.5);
    }

    void gain(const std::string& name, std::uint64_t size)
    {
        const bool less_one =
            layout_.gains == Gains::less_one || layout_.gains == Gains::biased_less_one;
        add(name + ".weight", {size}, less_one ? 0.0 : 1.0, 0.4);
    }

    void norm(const std::string& name)
    {
        const std::uint64_t dim = model_.count("hidden_size");
        if (layout_.gains != Gains::none)
            gain(name, dim);
        if (layout_.gains == Gains::biased || layout_.gains == Gains::biased_less_one)
            add(name + ".bias", {dim}, 0.0, 0.4);
    }

    void add_layer(const std::string& at, std::uint32_t layer)
    {
        for (const std::string& name : layout_.norms)
            norm(at + name);
        add_attention(at + "self_attn.");
        if (layout_.network == Network::stacked)
            add_stacked(at);
        else if (layout_.network == Network::mixtral)
            add_experts(at + "block_sparse_moe.", {"w1", "w3", "w2"});
        else if (layout_.network == Network::turned)
            add_turned_experts(at + "mlp.");
        else if (layout_.network == Network::experts && model_.is_sparse(layer))
            add_mixture(at + "mlp.");
        else
            add_network(at + "mlp.");
    }

    void add_mixture(const std::string& at)
    {
        const std::vector<std::string> names{"gate_proj", "up_proj", "down_proj"};
        add_experts(at, names);
        if (model_.type() == "glm4_moe" || model_.type() == "deepseek_v3")
            add(at + "gate.e_score_correction_bias", {model_.experts()}, 0.0, 0.4);
        if (model_.type() == "ernie4_5_moe")
            add(at + "moe_statics.e_score_correction_bias", {1, model_.experts()}, 0.0, 0.4);
        if (model_.shared_width() == 0)
            return;
        const bool qwen = model_.type() == "qwen2_moe";
        add_gated(at + (qwen ? "shared_expert." : "shared_experts."), model_.shared_width());
        if (qwen)
            matrix(at + "shared_expert_gate", 1, model_.count("hidden_size"), false);
    }

    void add_gated(const std::string& at, std::uint64_t inner)
    {
        const std::uint64_t dim = model_.count("hidden_size");
        matrix(at + "gate_proj", inner, dim, false);
        matrix(at + "up_proj", inner, dim, false);
        matrix(at + "down_proj", dim, inner, false);
    }

    /// Adds the experts as [inputs, outputs], with columns of gate and up alternating.
    void add_turned_experts(const std::string& at)
    {
        const std::uint64_t dim = model_.count("hidden_size");
        const std::uint64_t inner = model_.expert_width(), experts = model_.experts();
        matrix(at + "router", experts, dim, true);
        add(at + "experts.gate_up_proj", {experts, dim, 2 * inner}, 0.0, 0.4);
        add(at + "experts.gate_up_proj_bias", {experts, 2 * inner}, 0.0, 0.5);
        add(at + "experts.down_proj", {experts, inner, dim}, 0.0, 0.4);
        add(at + "experts.down_proj_bias", {experts, dim}, 0.0, 0.5);
    }

    /// Adds gate, up and down.
    void add_experts(const std::string& at, const std::vector<std::string>& names)
    {
        const std::uint64_t dim = model_.count("hidden_size");
        const std::uint64_t inner = model_.expert_width(), experts = model_.experts();
        matrix(at + "gate", experts, dim, false);
        for (std::uint64_t i = 0; i < experts; ++i) {
            const std::string expert = at + "experts." + std::to_string(i) + ".";
            matrix(expert + names[0], inner, dim, false);
            matrix(expert + names[1], inner, dim, false);
            matrix(expert + names[2], dim, inner, false);
        }
    }

    /// Adds experts, a network for all tokens, or both.
    void add_stacked(const std::string& at)
    {
        if (model_.has_experts())
            add_stacked_experts(at + "block_sparse_moe.");
        if (!model_.config.contains("shared_intermediate_size"))
            return;
        const std::uint64_t dim = model_.count("hidden_size");
        const std::uint64_t inner = model_.count("shared_intermediate_size");
        matrix(at + "shared_mlp.input_linear", 2 * inner, dim, false);
        matrix(at + "shared_mlp.output_linear", dim, inner, false);
    }

    void add_stacked_experts(const std::string& at)
    {
        const std::uint64_t dim = model_.count("hidden_size");
        const std::uint64_t inner = model_.expert_width(), experts = model_.experts();
        matrix(at + "router.layer", experts, dim, false);
        add(at + "input_linear.weight", {experts, 2 * inner, dim}, 0.0, 0.4);
        add(at + "output_linear.weight", {experts, dim, inner}, 0.0, 0.4);
    }

    void add_latent_attention(const std::string& at)
    {
        const std::uint64_t dim = model_.count("hidden_size"),
                            latent = model_.count("kv_lora_rank");
        const std::uint64_t heads = model_.count("num_attention_heads");
        const std::uint64_t nope = model_.count("qk_nope_head_dim");
        const std::uint64_t value = model_.count("v_head_dim");
        if (model_.config["q_lora_rank"].is_null()) {
            matrix(at + "q_proj", heads * model_.head_dim(), dim, false);
        } else {
            const std::uint64_t query = model_.count("q_lora_rank");
            matrix(at + "q_a_proj", query, dim, false);
            gain(at + "q_a_layernorm", query);
            matrix(at + "q_b_proj", heads * model_.head_dim(), query, false);
        }
        matrix(at + "kv_a_proj_with_mqa", latent + model_.count("qk_rope_head_dim"), dim, false);
        gain(at + "kv_a_layernorm", latent);
        matrix(at + "kv_b_proj", heads * (nope + value), latent, false);
        matrix(at + "o_proj", dim, heads * value, false);
    }

    void add_attention(const std::string& at)
    {
        if (model_.is_latent())
            return add_latent_attention(at);
        const std::uint64_t dim = model_.count("hidden_size"), width = model_.head_dim();
        const std::uint64_t q = model_.count("num_attention_heads") * width;
        const std::uint64_t kv = model_.count("num_key_value_heads") * width;
        if (layout_.fused_qkv) {
            matrix(at + "qkv_proj", q + 2 * kv, dim, false);
        } else {
            matrix(at + "q_proj", q, dim, layout_.qkv_biases);
            matrix(at + "k_proj", kv, dim, layout_.qkv_biases);
            matrix(at + "v_proj", kv, dim, layout_.qkv_biases);
        }
        matrix(at + "o_proj", dim, q, layout_.output_bias);
        if (layout_.network == Network::turned)
            add(at + "sinks", {model_.count("num_attention_heads")}, 0.0, 2.0);
        if (layout_.head_norms == Head::none)
            return;
        gain(at + "q_norm", layout_.head_norms == Head::all ? q : width);
        gain(at + "k_norm", layout_.head_norms == Head::all ? kv : width);
    }

    void add_network(const std::string& at)
    {
        const std::uint64_t dim = model_.count("hidden_size");
        const std::uint64_t inner = model_.count("intermediate_size");
        const bool biased = layout_.network_biases;
        switch (layout_.network) {
        case Network::fused:
            matrix(at + "gate_up_proj", 2 * inner, dim, biased);
            break;
        case Network::gated:
        case Network::experts: // This layer has no experts.
            matrix(at + "gate_proj", inner, dim, biased);
            [[fallthrough]];
        case Network::plain:
            matrix(at + "up_proj", inner, dim, biased);
            break;
        case Network::fc:
            matrix(at + "c_fc", inner, dim, biased);
            matrix(at + "c_proj", dim, inner, biased);
            return;
        default:
            return;
        }
        matrix(at + "down_proj", dim, inner, biased);
    }

    FamilyCheckpoint& model_;
    Layout layout_;
    std::uint64_t state_ = 7;
};

using Variants = std::vector<std::pair<std::string, Json>>;

/// The keys that only one family has, and those of its variants.
struct Published {
    std::string title;
    Json keys;
    Variants variants{};
};

const Json sizes{{"hidden_size", 32},
                 {"intermediate_size", 40},
                 {"num_hidden_layers", 4},
                 {"num_attention_heads", 4},
                 {"num_key_value_heads", 2},
                 {"vocab_size", 50},
                 {"max_position_embeddings", 64},
                 {"tie_word_embeddings", false},
                 {"rms_norm_eps", 1e-5},
                 {"hidden_act", "silu"},
                 {"rope_theta", 10000.0}};

// The original context is so short that all of YaRN's bounds fall among the pairs of these heads.
const Json yarn{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 4000}};
const Json llama3{{"rope_type", "llama3"},
                  {"factor", 8.0},
                  {"low_freq_factor", 1.0},
                  {"high_freq_factor", 4.0},
                  {"original_max_position_embeddings", 16}};

/// Returns every scaling of positions that is not specific to one family.
Variants scaled()
{
    return {{"linear", {{"rope_scaling", {{"type", "linear"}, {"factor", 4.0}}}}},
            {"llama3", {{"rope_scaling", llama3}}},
            {"yarn", {{"rope_scaling", yarn}}},
            {"yarn with own bounds",
             {{"rope_theta", 100.0},
              {"rope_scaling",
               {{"rope_type", "yarn"},
                {"factor", 4.0},
                {"original_max_position_embeddings", 64},
                {"beta_fast", 2.0},
                {"beta_slow", 1.2}}}}},
            {"yarn in rope_parameters",
             {{"rope_theta", nullptr},
              {"rope_parameters",
               {{"rope_theta", 500.0},
                {"rope_type", "yarn"},
                {"factor", 2.0},
                {"beta_fast", 4.0},
                {"beta_slow", 0.5},
                {"truncate", false},
                {"attention_factor", 1.5}}}}},
            {"yarn with two magnitudes",
             {{"rope_scaling",
               {{"rope_type", "yarn"},
                {"factor", 4.0},
                {"original_max_position_embeddings", 16},
                {"mscale", 2.0},
                {"mscale_all_dim", 0.5}}}}},
            {"wide heads", {{"head_dim", 12}}}};
}

std::vector<Published> llamas()
{
    return {
        {"Llama", {{"architectures", {"LlamaForCausalLM"}}, {"model_type", "llama"}}, scaled()},
        {"Llama with biases",
         {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"attention_bias", true}}},
        {"Mistral",
         {{"architectures", {"MistralForCausalLM"}},
          {"model_type", "mistral"},
          {"sliding_window", 32}}},
        {"Qwen2",
         {{"architectures", {"Qwen2ForCausalLM"}},
          {"model_type", "qwen2"},
          {"tie_word_embeddings", true}}},
        {"Qwen3",
         {{"architectures", {"Qwen3ForCausalLM"}},
          {"model_type", "qwen3"},
          {"head_dim", 12},
          {"tie_word_embeddings", true}},
         {{"yarn", {{"rope_scaling", yarn}}}, {"biases of attention", {{"attention_bias", true}}}}},
        {"SmolLM3",
         {{"architectures", {"SmolLM3ForCausalLM"}},
          {"model_type", "smollm3"},
          {"tie_word_embeddings", true}},
         {{"interval", {{"no_rope_layer_interval", 2}}},
          {"biases of attention", {{"attention_bias", true}}},
          {"list", {{"no_rope_layers", {0, 1, 1, 0}}}},
          {"yarn", {{"rope_scaling", yarn}}}}},
        {"Granite",
         {{"architectures", {"GraniteForCausalLM"}},
          {"model_type", "granite"},
          {"tie_word_embeddings", true},
          {"embedding_multiplier", 12.0},
          {"residual_multiplier", 0.22},
          {"attention_multiplier", 0.5},
          {"logits_scaling", 8.0}},
         {{"own classifier", {{"tie_word_embeddings", false}}},
          {"biases of attention", {{"attention_bias", true}}},
          {"no multiplier of scores", {{"attention_multiplier", nullptr}}}}}};
}

std::vector<Published> gemmas()
{
    const Json common{{"tie_word_embeddings", true}, {"head_dim", 12}, {"num_key_value_heads", 1}};
    Json gemma = common, gemma2 = common, gemma3 = common;
    gemma.update({{"architectures", {"GemmaForCausalLM"}},
                  {"model_type", "gemma"},
                  {"hidden_act", "gelu"},
                  {"hidden_activation", nullptr}});
    gemma2.update({{"architectures", {"Gemma2ForCausalLM"}},
                   {"model_type", "gemma2"},
                   {"hidden_activation", "gelu_pytorch_tanh"},
                   {"query_pre_attn_scalar", 5},
                   {"attn_logit_softcapping", 1.5},
                   {"final_logit_softcapping", 2.0},
                   {"sliding_window", 32}});
    gemma3.update({{"architectures", {"Gemma3ForCausalLM"}},
                   {"model_type", "gemma3_text"},
                   {"hidden_activation", "gelu_pytorch_tanh"},
                   {"query_pre_attn_scalar", 20},
                   {"rope_theta", 1000.0},
                   {"rope_local_base_freq", 100.0},
                   {"sliding_window_pattern", 3},
                   {"sliding_window", 32}});
    const Json types{"full_attention", "sliding_attention", "sliding_attention", "full_attention"};
    const Json both{
        {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 100.0}}},
        {"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 1000.0}}}};
    return {{"Gemma", gemma},
            {"Gemma 2",
             gemma2,
             {{"no cap of scores", {{"attn_logit_softcapping", nullptr}}},
              {"biases of attention", {{"attention_bias", true}}},
              {"no cap of logits", {{"final_logit_softcapping", nullptr}}},
              {"no width of scores", {{"query_pre_attn_scalar", "absent"}}},
              {"caps not given",
               {{"attn_logit_softcapping", "absent"}, {"final_logit_softcapping", "absent"}}}}},
            {"Gemma 3",
             gemma3,
             {{"linear", {{"rope_scaling", {{"rope_type", "linear"}, {"factor", 8.0}}}}},
              {"yarn", {{"rope_scaling", yarn}}},
              {"no pattern", {{"sliding_window_pattern", "absent"}}},
              {"bases not given", {{"rope_local_base_freq", "absent"}, {"rope_theta", "absent"}}},
              {"types of layers", {{"layer_types", types}}},
              {"rope_parameters of both",
               {{"rope_parameters", both},
                {"rope_theta", nullptr},
                {"rope_local_base_freq", nullptr}}}}}};
}

std::vector<Published> others()
{
    const Json longrope{
        {"type", "longrope"}, {"short_factor", {1.0, 1.25, 2.0}}, {"long_factor", {1.0, 3.0, 9.0}}};
    return {
        {"Phi-3",
         {{"architectures", {"Phi3ForCausalLM"}}, {"model_type", "phi3"}, {"sliding_window", 32}},
         {{"partly rotated", {{"partial_rotary_factor", 0.75}}},
          {"longrope",
           {{"partial_rotary_factor", 0.75},
            {"original_max_position_embeddings", 16},
            {"rope_scaling", longrope}}}}},
        {"OLMo", {{"architectures", {"OlmoForCausalLM"}}, {"model_type", "olmo"}}},
        {"OLMo 2",
         {{"architectures", {"Olmo2ForCausalLM"}}, {"model_type", "olmo2"}},
         {{"yarn", {{"rope_scaling", yarn}}}, {"biases of attention", {{"attention_bias", true}}}}},
        {"StarCoder2",
         {{"architectures", {"Starcoder2ForCausalLM"}},
          {"model_type", "starcoder2"},
          {"norm_epsilon", 1e-4},
          {"hidden_act", "gelu_pytorch_tanh"},
          {"tie_word_embeddings", true},
          {"sliding_window", 32}},
         {{"no biases", {{"use_bias", false}}}}},
        {"Nemotron",
         {{"architectures", {"NemotronForCausalLM"}},
          {"model_type", "nemotron"},
          {"norm_eps", 1e-4},
          {"hidden_act", "relu2"}},
         {{"rotated whole", {{"partial_rotary_factor", 1.0}}},
          {"biases of attention", {{"attention_bias", true}}},
          {"all biases", {{"attention_bias", true}, {"mlp_bias", true}}}}}};
}

/// Returns llamas with different rotations, networks or places of norms.
std::vector<Published> later_llamas()
{
    const Json types{"sliding_attention", "full_attention", "sliding_attention", "full_attention"};
    const Json by_position{{"rope_type", "yarn"},
                           {"rope_theta", 500.0},
                           {"factor", 4.0},
                           {"beta_fast", 4.0},
                           {"beta_slow", 1.0},
                           {"mscale", 1.0},
                           {"mscale_all_dim", 1.0},
                           {"original_max_position_embeddings", 64},
                           {"llama_4_scaling_beta", 0.1}};
    return {
        {"Ministral 3",
         {{"architectures", {"Ministral3ForCausalLM"}},
          {"model_type", "ministral3"},
          {"head_dim", 12},
          {"rope_theta", nullptr},
          {"rope_parameters", by_position},
          {"sliding_window", nullptr},
          {"tie_word_embeddings", true}}},
        {"OLMo 3",
         {{"architectures", {"Olmo3ForCausalLM"}},
          {"model_type", "olmo3"},
          {"layer_types", types},
          {"sliding_window", 32}},
         {{"yarn", {{"rope_scaling", yarn}}},
          {"linear in rope_parameters",
           {{"rope_theta", nullptr},
            {"rope_parameters",
             {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 500.0}}}}},
          {"types not given", {{"layer_types", "absent"}, {"rope_scaling", yarn}}}}},
        {"EXAONE 4",
         {{"architectures", {"Exaone4ForCausalLM"}},
          {"model_type", "exaone4"},
          {"layer_types", types},
          {"sliding_window", 32},
          {"sliding_window_pattern", nullptr}},
         {{"no window",
           {{"sliding_window", nullptr},
            {"layer_types", Json(4, "full_attention")},
            {"rope_scaling", llama3}}},
          {"pattern", {{"layer_types", "absent"}, {"sliding_window_pattern", 3}}}}},
        {"Arcee",
         {{"architectures", {"ArceeForCausalLM"}},
          {"model_type", "arcee"},
          {"hidden_act", "relu2"}},
         {{"yarn", {{"rope_scaling", yarn}}},
          {"biases of attention", {{"attention_bias", true}}},
          {"all biases", {{"attention_bias", true}, {"mlp_bias", true}}}}},
        {"Seed-OSS",
         {{"architectures", {"SeedOssForCausalLM"}},
          {"model_type", "seed_oss"},
          {"head_dim", 12},
          {"attention_bias", true},
          {"attention_out_bias", false},
          {"residual_dropout", 0.1}},
         {{"no biases", {{"attention_bias", false}}}}},
        {"Helium",
         {{"architectures", {"HeliumForCausalLM"}}, {"model_type", "helium"}, {"head_dim", 12}},
         {{"biases of attention", {{"attention_bias", true}}}}},
        {"InternLM 3",
         {{"architectures", {"InternLM3ForCausalLM"}},
          {"model_type", "internlm3"},
          {"head_dim", 12},
          {"bias", false},
          {"qkv_bias", false},
          {"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 6.0}}}},
         {{"biases", {{"qkv_bias", true}}}}},
        {"GLM",
         {{"architectures", {"GlmForCausalLM"}},
          {"model_type", "glm"},
          {"head_dim", 8}, // llama.cpp requires that all heads together are as wide as the model.
          {"attention_bias", true}},
         {{"rotated whole", {{"partial_rotary_factor", 1.0}}}}},
        {"Ernie 4.5, dense",
         {{"architectures", {"Ernie4_5ForCausalLM"}},
          {"model_type", "ernie4_5"},
          {"head_dim", 12},
          {"use_bias", false},
          {"tie_word_embeddings", true}}}};
}

std::vector<Published> parallel_or_sandwiched()
{
    return {{"StableLM",
             {{"architectures", {"StableLmForCausalLM"}},
              {"model_type", "stablelm"},
              {"layer_norm_eps", 1e-4}},
             {{"parallel", {{"use_parallel_residual", true}, {"use_qkv_bias", true}}},
              {"half rotated", {{"partial_rotary_factor", 0.5}}}}},
            {"Cohere",
             {{"architectures", {"CohereForCausalLM"}},
              {"model_type", "cohere"},
              {"layer_norm_eps", 1e-4},
              {"tie_word_embeddings", true}},
             {{"logits", {{"logit_scale", 0.25}}},
              {"biases of attention", {{"attention_bias", true}}}}},
            {"Cohere 2",
             {{"architectures", {"Cohere2ForCausalLM"}},
              {"model_type", "cohere2"},
              {"layer_norm_eps", 1e-4},
              {"logit_scale", 0.25},
              {"tie_word_embeddings", true},
              {"sliding_window", 32}},
             {{"pattern", {{"sliding_window_pattern", 2}}}}},
            {"GLM-4",
             {{"architectures", {"Glm4ForCausalLM"}},
              {"model_type", "glm4"},
              {"head_dim", 12},
              {"attention_bias", true}},
             {{"no biases", {{"attention_bias", false}}},
              {"rotated whole", {{"partial_rotary_factor", 1.0}}}}}};
}

/// Applies a patch. In a patch, null sets a key to null, and "absent" removes the key.
Json patched(Json keys, const Json& patch)
{
    for (const auto& [key, value] : patch.items())
        if (value == "absent")
            keys.erase(key);
        else
            keys[key] = value;
    return keys;
}

} // namespace

namespace {

std::vector<Published> mixtures()
{
    const Json common{{"num_experts_per_tok", 2}};
    Json mixtral = common, qwen = common, olmoe = common, granite = common;
    mixtral.update({{"architectures", {"MixtralForCausalLM"}},
                    {"model_type", "mixtral"},
                    {"num_local_experts", 5}});
    qwen.update({{"architectures", {"Qwen3MoeForCausalLM"}},
                 {"model_type", "qwen3_moe"},
                 {"head_dim", 12},
                 {"num_experts", 6},
                 {"moe_intermediate_size", 24},
                 {"norm_topk_prob", true}});
    olmoe.update({{"architectures", {"OlmoeForCausalLM"}},
                  {"model_type", "olmoe"},
                  {"num_experts", 6},
                  {"norm_topk_prob", false}});
    granite.update({{"architectures", {"GraniteMoeForCausalLM"}},
                    {"model_type", "granitemoe"},
                    {"num_local_experts", 4},
                    {"embedding_multiplier", 12.0},
                    {"residual_multiplier", 0.22},
                    {"attention_multiplier", 0.5},
                    {"logits_scaling", 6.0}});
    const Json factors{{"embedding_multiplier", 12.0},
                       {"residual_multiplier", 0.22},
                       {"attention_multiplier", 0.5},
                       {"logits_scaling", 6.0}};
    Json shared = common, hybrid = common;
    shared.update(factors);
    shared.update({{"architectures", {"GraniteMoeSharedForCausalLM"}},
                   {"model_type", "granitemoeshared"},
                   {"num_local_experts", 4},
                   {"shared_intermediate_size", 24}});
    hybrid.update(factors);
    hybrid.update({{"architectures", {"GraniteMoeHybridForCausalLM"}},
                   {"model_type", "granitemoehybrid"},
                   {"num_local_experts", 0},
                   {"num_experts_per_tok", 0},
                   {"shared_intermediate_size", 24},
                   {"mamba_d_state", 16},
                   {"normalization_function", "rmsnorm"},
                   {"layer_types", Json(4, "attention")},
                   {"position_embedding_type", "rope"}});
    return {{"Granite, shared", shared, {{"all", {{"num_experts_per_tok", 4}}}}},
            {"Granite 4",
             hybrid,
             {{"not rotated", {{"position_embedding_type", "nope"}}},
              {"experts", {{"num_local_experts", 4}, {"num_experts_per_tok", 2}}}}},
            {"Mixtral", mixtral, {{"all", {{"num_experts_per_tok", 5}}}}},
            {"Qwen3 MoE",
             qwen,
             {{"weights of all", {{"norm_topk_prob", false}}},
              {"biases of attention", {{"attention_bias", true}}},
              {"a layer without experts", {{"mlp_only_layers", {1}}}},
              {"one expert", {{"num_experts_per_tok", 1}}}}},
            {"OLMoE",
             olmoe,
             {{"weights of the chosen", {{"norm_topk_prob", true}}},
              {"biases of attention", {{"attention_bias", true}}}}},
            {"Granite MoE",
             granite,
             {{"three", {{"num_experts_per_tok", 3}}},
              {"biases of attention", {{"attention_bias", true}}}}}};
}

/// Returns models with shared experts, layers without experts, other scores or biases.
std::vector<Published> further_mixtures()
{
    const Json qwen2{{"architectures", {"Qwen2MoeForCausalLM"}},
                     {"model_type", "qwen2_moe"},
                     {"num_experts", 6},
                     {"num_experts_per_tok", 2},
                     {"moe_intermediate_size", 24},
                     {"shared_expert_intermediate_size", 56},
                     {"norm_topk_prob", false}};
    const Json deepseek{{"architectures", {"DeepseekForCausalLM"}},
                        {"model_type", "deepseek"},
                        {"n_routed_experts", 6},
                        {"n_shared_experts", 2},
                        {"num_experts_per_tok", 3},
                        {"moe_intermediate_size", 16},
                        {"first_k_dense_replace", 1},
                        {"norm_topk_prob", false}};
    const Json glm{{"architectures", {"Glm4MoeForCausalLM"}},
                   {"model_type", "glm4_moe"},
                   {"head_dim", 12},
                   {"partial_rotary_factor", 0.5},
                   {"attention_bias", true},
                   {"n_routed_experts", 8},
                   {"n_shared_experts", 1},
                   {"num_experts_per_tok", 3},
                   {"moe_intermediate_size", 16},
                   {"first_k_dense_replace", 1},
                   {"n_group", 1},
                   {"topk_group", 1},
                   {"norm_topk_prob", true},
                   {"num_nextn_predict_layers", 1},
                   {"routed_scaling_factor", 1.0},
                   {"use_qk_norm", false}};
    const Json ernie{{"architectures", {"Ernie4_5_MoeForCausalLM"}},
                     {"model_type", "ernie4_5_moe"},
                     {"moe_num_experts", 6},
                     {"moe_num_shared_experts", 2},
                     {"moe_k", 2},
                     {"moe_intermediate_size", 16},
                     {"moe_layer_start_index", 1},
                     {"use_bias", false}};
    const Json oss{{"architectures", {"GptOssForCausalLM"}},
                   {"model_type", "gpt_oss"},
                   {"head_dim", 12},
                   {"intermediate_size", 64}, // The size must be a multiple of MXFP4's blocks.
                   {"num_local_experts", 5},
                   {"num_experts_per_tok", 2},
                   {"experts_per_token", 2},
                   {"attention_bias", true},
                   {"sliding_window", 32},
                   {"swiglu_limit", 1.5},
                   {"rope_scaling", yarn}};
    return {{"Qwen2 MoE",
             qwen2,
             {{"weights of the chosen", {{"norm_topk_prob", true}}},
              {"a layer without experts", {{"mlp_only_layers", {2}}}},
              {"every other layer", {{"decoder_sparse_step", 2}}}}},
            {"DeepSeek MoE",
             deepseek,
             {{"two layers without experts", {{"first_k_dense_replace", 2}}},
              {"sigmoid", {{"scoring_func", "sigmoid"}}},
              {"no shared expert", {{"n_shared_experts", nullptr}}}}},
            {"GLM 4.5",
             glm,
             {{"norms of heads", {{"use_qk_norm", true}}},
              {"scaled experts", {{"routed_scaling_factor", 2.5}}},
              {"weights as they are", {{"norm_topk_prob", false}}}}},
            {"Ernie 4.5",
             ernie,
             {{"ends before the last", {{"moe_layer_end_index", 2}}},
              {"every other layer", {{"moe_layer_interval", 2}}}}},
            {"gpt-oss",
             oss,
             {{"another limit", {{"swiglu_limit", 0.5}}},
              {"all experts", {{"num_experts_per_tok", 5}, {"experts_per_token", 5}}}}}};
}

std::vector<Published> latent_mixtures()
{
    const Json lite{{"architectures", {"DeepseekV2ForCausalLM"}},
                    {"model_type", "deepseek_v2"},
                    {"num_key_value_heads", 4},
                    {"q_lora_rank", nullptr},
                    {"kv_lora_rank", 20},
                    {"qk_nope_head_dim", 6},
                    {"qk_rope_head_dim", 8},
                    {"v_head_dim", 10},
                    {"n_routed_experts", 6},
                    {"n_shared_experts", 2},
                    {"num_experts_per_tok", 3},
                    {"moe_intermediate_size", 16},
                    {"first_k_dense_replace", 1},
                    {"topk_method", "greedy"},
                    {"n_group", 1},
                    {"topk_group", 1},
                    {"norm_topk_prob", false},
                    {"routed_scaling_factor", 1.0}};
    const Json third = patched(lite, {{"architectures", {"DeepseekV3ForCausalLM"}},
                                      {"model_type", "deepseek_v3"},
                                      {"q_lora_rank", 12},
                                      {"topk_method", "noaux_tc"},
                                      {"scoring_func", "sigmoid"},
                                      {"norm_topk_prob", true},
                                      {"num_nextn_predict_layers", 1},
                                      {"routed_scaling_factor", 2.5}});
    const auto scaling = [](double one, double all) {
        return Json{{"rope_scaling",
                     {{"type", "yarn"},
                      {"factor", 40.0},
                      {"beta_fast", 2.0},
                      {"beta_slow", 1.0},
                      {"mscale", one},
                      {"mscale_all_dim", all},
                      {"original_max_position_embeddings", 16}}}};
    };
    return {{"DeepSeek V2 Lite",
             lite,
             {{"yarn", scaling(0.707, 0.707)},
              {"yarn with two magnitudes", scaling(1.5, 0.5)},
              {"a latent vector of queries", {{"q_lora_rank", 12}}},
              {"narrow values, no group of experts", {{"v_head_dim", 4}, {"n_group", nullptr}}},
              {"as many rotated as latent", {{"kv_lora_rank", 8}}},
              {"scaled experts", {{"routed_scaling_factor", 4.0}}},
              {"no experts", {{"n_routed_experts", nullptr}}},
              {"no layer without experts", {{"first_k_dense_replace", 0}}}}},
            {"DeepSeek V3",
             third,
             {{"yarn", scaling(1.0, 1.0)},
              {"queries of the token's vector", {{"q_lora_rank", nullptr}}},
              {"weights as they are", {{"norm_topk_prob", false}}}}}};
}

std::vector<FamilyCheckpoint> drawn(const std::vector<std::vector<Published>>& lists)
{
    std::vector<FamilyCheckpoint> models;
    for (const auto& list : lists)
        for (const Published& family : list) {
            const Json keys = patched(sizes, family.keys);
            models.push_back({family.title, keys});
            for (const auto& [name, patch] : family.variants)
                models.push_back({family.title + ": " + name, patched(keys, patch)});
        }
    for (FamilyCheckpoint& model : models)
        Drawer(model).draw();
    return models;
}

} // namespace

std::uint32_t FamilyCheckpoint::experts() const
{
    for (const char* key : {"num_experts", "n_routed_experts", "moe_num_experts"})
        if (config.contains(key))
            return count(key);
    return count("num_local_experts");
}

bool FamilyCheckpoint::has_experts() const
{
    return (config.contains("num_experts_per_tok") || config.contains("moe_k")) &&
           config.value("num_local_experts", 1U) != 0 &&
           !(config.contains("n_routed_experts") && config["n_routed_experts"].is_null());
}

bool FamilyCheckpoint::is_sparse(std::uint32_t layer) const
{
    if (!has_experts())
        return false;
    for (const std::uint32_t listed : config.value("mlp_only_layers", std::vector<std::uint32_t>()))
        if (listed == layer)
            return false;
    const std::uint32_t step =
        config.value("decoder_sparse_step", config.value("moe_layer_interval", 1U));
    const std::uint32_t first =
        config.value("first_k_dense_replace", config.value("moe_layer_start_index", 0U));
    return layer >= first && layer <= config.value("moe_layer_end_index", layer) &&
           (layer + 1) % step == 0;
}

std::uint32_t FamilyCheckpoint::shared_width() const
{
    if (config.contains("shared_expert_intermediate_size"))
        return count("shared_expert_intermediate_size");
    for (const char* key : {"n_shared_experts", "moe_num_shared_experts"})
        if (config.contains(key) && !config[key].is_null())
            return count(key) * expert_width();
    return 0;
}

std::vector<FamilyCheckpoint> family_checkpoints()
{
    return drawn({llamas(), later_llamas(), gemmas(), others(), parallel_or_sandwiched()});
}

std::vector<FamilyCheckpoint> mixture_checkpoints()
{
    return drawn({mixtures(), further_mixtures()});
}

std::vector<FamilyCheckpoint> latent_checkpoints()
{
    return drawn({latent_mixtures()});
}

} // namespace levee::test
