// SPDX-License-Identifier: Apache-2.0
#include "test/unit/huggingface/config_case.hpp"

#include <cmath>

using namespace levee;
using namespace levee::test;

namespace {

/// Returns theta^(-2i / head_dim) / 2 pi by libm.
double turns_of(double theta, int pair, int head_dim)
{
    return std::pow(theta, -2.0 * pair / head_dim) / (2.0 * std::acos(-1.0));
}

} // namespace

TEST_CASE("A Llama config gives its shape, rotated by halves")
{
    const hf::Config config = read(small_llama);
    CHECK(config.family->model_type == std::string("llama"));
    CHECK(config.shape.dim == 64);
    CHECK(config.shape.hidden == 172);
    CHECK(config.shape.layers == 5);
    CHECK(config.shape.heads == 8);
    CHECK(config.shape.kv_heads == 4);
    CHECK(config.shape.head_dim == 8);
    CHECK(config.shape.vocab == 512);
    CHECK(config.shape.max_context == 512);
    CHECK(config.shape.norm_epsilon == 1e-5F);
    CHECK(config.shape.position == LEVEE_POSITION_ROPE_HALVES);
    CHECK_FALSE(config.shape.tied);
    CHECK_FALSE(config.shape.qkv_biases);
    CHECK(config.notes.empty());
    REQUIRE(config.phases.size() == 4);
    CHECK(config.phases[0] == 683565276); // This is 2^32 / 2 pi.
    CHECK(config.phases[1] == 68356528);  // This is a tenth of the first phase.
}

TEST_CASE("Missing values of a config are transformers' defaults, and are reported")
{
    const hf::Config config =
        read(small_llama, {{"num_key_value_heads", ""}, {"rms_norm_eps", ""}, {"rope_theta", ""}});
    CHECK(config.shape.kv_heads == 8);
    CHECK(config.shape.norm_epsilon == 1e-6F);
    CHECK(config.phases == read(small_llama).phases);
    CHECK(config.notes ==
          Notes{"its config.json lacks keys, for which the defaults of transformers are used: "
                "num_key_value_heads (8), rms_norm_eps (1e-06), rope_theta (10000.0)"});
    CHECK(read(small_llama, {{"hidden_act", ""},
                             {"attention_bias", ""},
                             {"mlp_bias", ""},
                             {"head_dim", "null"},
                             {"tie_word_embeddings", ""}})
              .notes ==
          Notes{"its config.json lacks keys, for which the defaults of transformers are used: "
                "attention_bias (false), mlp_bias (false), head_dim (8), hidden_act (silu), "
                "tie_word_embeddings (false)"});
    CHECK(read(small_opt, {{"activation_function", ""},
                           {"do_layer_norm_before", ""},
                           {"enable_bias", ""},
                           {"layer_norm_elementwise_affine", ""},
                           {"_remove_final_layer_norm", ""},
                           {"word_embed_proj_dim", ""},
                           {"tie_word_embeddings", ""}})
              .notes ==
          Notes{"its config.json lacks keys, for which the defaults of transformers are used: "
                "activation_function (relu), do_layer_norm_before (true), enable_bias (true), "
                "layer_norm_elementwise_affine (true), _remove_final_layer_norm (false), "
                "word_embed_proj_dim (32), tie_word_embeddings (true)"});
    CHECK(read(small_llama, {{"head_dim", "32"}}).shape.head_dim == 32);
    CHECK(read(small_llama, {{"head_dim", "null"}}).shape.head_dim == 8);
    CHECK(read(small_llama, {{"tie_word_embeddings", "true"}}).shape.tied);
    // model_type identifies the family.
    CHECK(read(small_llama, {{"architectures", ""}}).shape.dim == 64);
}

TEST_CASE(
    "attention_bias: Q, K, V and the output have biases, and only families with the key note it")
{
    const hf::Config biased = read(small_llama, {{"attention_bias", "true"}});
    CHECK(biased.shape.attention_biases);
    CHECK_FALSE(biased.shape.qkv_biases);
    const Edits qwen{{"architectures", R"(["Qwen3ForCausalLM"])"}, {"model_type", R"("qwen3")"}};
    Edits with = qwen, without = qwen;
    with.emplace_back("attention_bias", "true");
    with.emplace_back("mlp_bias", "");
    CHECK(read(small_llama, with).shape.attention_biases);
    without.emplace_back("attention_bias", "");
    without.emplace_back("mlp_bias", "");
    const hf::Config config = read(small_llama, without);
    CHECK_FALSE(config.shape.attention_biases);
    REQUIRE_FALSE(config.notes.empty());
    CHECK_THAT(config.notes[0], Catch::Contains("attention_bias (false)"));
    CHECK_THAT(config.notes[0], !Catch::Contains("mlp_bias"));
    with.back().second = "true"; // Qwen3 has no such key.
    CHECK_THAT(refusal(small_llama, with), Catch::Contains("mlp_bias: true, expected false"));
    CHECK_THAT(refusal(small_llama, {{"architectures", R"(["ArceeForCausalLM"])"},
                                     {"model_type", R"("arcee")"},
                                     {"hidden_act", R"("relu2")"},
                                     {"mlp_bias", "true"}}),
               Catch::Contains("mlp_bias: true, expected false, or true with attention_bias"));
}

TEST_CASE("Qwen2 has biases on Q, K and V, and a sliding window")
{
    const Edits qwen{{"architectures", R"(["Qwen2ForCausalLM"])"}, {"eos_token_id", "2"}};
    CHECK(read(small_llama, qwen).shape.qkv_biases);
    CHECK(read(small_llama, qwen).eos == 2);
    Edits window = qwen;
    window.insert(window.end(), {{"sliding_window", "128"}, {"use_sliding_window", "false"}});
    CHECK(read(small_llama, window).notes.empty());
    const Edits slides{{"architectures", R"(["Qwen2ForCausalLM"])"},
                       {"use_sliding_window", "true"},
                       {"max_window_layers", "3"},
                       {"max_position_embeddings", "8192"}};
    REQUIRE(read(small_llama, slides).notes.size() == 1);
    CHECK(read(small_llama, slides).shape.window == 4096); // This is the default of Qwen2.
    CHECK(read(small_llama, slides).shape.layer_flags ==
          std::vector<std::uint32_t>{0, 0, 0, LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL});
    Edits later = slides;
    later.emplace_back("max_window_layers", ""); // transformers assumes 28, but there are 5 layers.
    CHECK(read(small_llama, later).shape.window == 0);
    const hf::Config mistral = read(
        small_llama, {{"architectures", R"(["MistralForCausalLM"])"}, {"sliding_window", "128"}});
    CHECK(mistral.notes.empty());
    CHECK(mistral.shape.window == 128);
    const Edits mistral_class{{"architectures", R"(["MistralForCausalLM"])"},
                              {"max_position_embeddings", "8192"}};
    const Notes without_window = read(small_llama, mistral_class).notes;
    REQUIRE(without_window.size() == 1);
    CHECK_THAT(without_window[0], Catch::EndsWith(": sliding_window (4096)"));
    Edits none = mistral_class;
    none.insert(none.end(), {{"sliding_window", "null"}, {"num_key_value_heads", ""}});
    REQUIRE(read(small_llama, none).notes.size() == 1);
    CHECK_THAT(read(small_llama, none).notes[0], Catch::EndsWith(": num_key_value_heads (8)"));
    CHECK(read(small_llama, none).shape.kv_heads == 8);
    // In a Llama, sliding_window has no effect.
    CHECK(read(small_llama, {{"sliding_window", "128"}}).notes.empty());
    const hf::Config several = read(small_llama, {{"eos_token_id", "[7, 9]"}});
    CHECK(several.eos == 7);
    CHECK(several.stops == std::vector<std::uint32_t>{9});
    CHECK(several.notes.empty());
}

TEST_CASE("Too many tokens that end a text are reported in the file that has them")
{
    const auto fault = [](const std::string& config, const std::string& generation) {
        const Folder folder;
        folder.write("generation_config.json", "{\"eos_token_id\": " + generation + "}");
        const auto file =
            folder.write("config.json", text_of(small_llama, {{"eos_token_id", config}}));
        try {
            return std::to_string(hf::read_config(file, hf::Part::weights).stops.size());
        } catch (const ModelError& error) {
            const std::string what = error.what();
            return what.substr(folder.path().string().size() + 1);
        }
    };
    const std::string eight = "[1, 2, 3, 4, 5, 6, 7, 8]", nine = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";
    CHECK(fault("", eight) == "7");
    CHECK(fault("3", eight) == "7");
    const std::string expected = ", expected at most 8 tokens that end a text, those of "
                                 "config.json and of generation_config.json together";
    CHECK(fault("", nine) ==
          "generation_config.json: eos_token_id: [1,2,3,4,5,6,7,8,9]" + expected);
    CHECK(fault("20", eight) ==
          "generation_config.json: eos_token_id: [1,2,3,4,5,6,7,8]" + expected);
    CHECK(fault(nine, "1") == "config.json: eos_token_id: [1,2,3,4,5,6,7,8,9]" + expected);
}

TEST_CASE("OPT: learned positions, biases, layer norms, tied unless the config says otherwise")
{
    const hf::Config config = read(small_opt);
    CHECK(config.family->model_type == std::string("opt"));
    CHECK(config.shape.hidden == 128);
    CHECK(config.shape.position == LEVEE_POSITION_LEARNED);
    CHECK(config.shape.activation == LEVEE_ACTIVATION_RELU);
    CHECK(config.shape.norm == LEVEE_NORM_LAYER);
    CHECK(config.shape.biases);
    CHECK(config.shape.tied);
    CHECK(config.notes.empty());
    CHECK(config.phases.empty());
    CHECK_FALSE(read(small_opt, {{"tie_word_embeddings", "false"}}).shape.tied);
}

TEST_CASE("Scaled positions give the rotation of transformers' formulas")
{
    const Edits theta{{"rope_theta", "500000.0"}, {"head_dim", "128"}};
    const auto scaled = [&](const std::string& scaling) {
        Edits edits = theta;
        edits.emplace_back("rope_scaling", scaling);
        return read(small_llama, edits).phases;
    };
    const auto plain = read(small_llama, theta).phases;
    const auto linear = scaled(R"({"type": "linear", "factor": 4.0})");
    const auto llama3 = scaled(R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 8192})");
    CHECK(scaled(R"({"rope_type": "default"})") == plain);
    REQUIRE(llama3.size() == 64);
    int kept = 0, slowed = 0;
    for (int i = 0; i < 64; ++i) {
        const double turns = turns_of(500000.0, i, 128);
        CHECK(plain[i] == Approx(turns * 0x1p32).epsilon(1e-9).margin(1));
        CHECK(linear[i] == Approx(turns * 0x1p32 / 4).epsilon(1e-9).margin(1));
        const double wavelength = 1 / turns; // Formula of modeling_rope_utils.
        const double smooth = (8192 / wavelength - 1) / 3;
        const double expected = wavelength < 8192.0 / 4 ? turns
                                : wavelength > 8192.0 / 1
                                    ? turns / 8
                                    : (1 - smooth) * turns / 8 + smooth * turns;
        CHECK(llama3[i] == Approx(expected * 0x1p32).epsilon(1e-9).margin(1));
        kept += llama3[i] == plain[i] ? 1 : 0;
        slowed += wavelength > 8192.0 ? 1 : 0;
    }
    CHECK(kept == 29);   // The wavelength 2 pi 500000^(i / 64) is below 2048 for i <= 28.
    CHECK(slowed == 29); // The wavelength exceeds 8192 for i >= 35.
    CHECK(read(small_llama, {{"rope_theta", ""},
                             {"head_dim", "128"},
                             {"rope_parameters",
                              R"({"rope_type": "linear", "factor": 4.0, "rope_theta": 500000.0})"}})
              .phases == linear);
}

TEST_CASE("Queries that grow beyond an old context limit a model to that context")
{
    const auto limited = [](const std::string& beta) {
        return read(small_llama,
                    {{"architectures", R"(["Ministral3ForCausalLM"])"},
                     {"rope_theta", ""},
                     {"rope_parameters", R"({"rope_type": "yarn", "factor": 2.0, "rope_theta": 1e6,
                      "original_max_position_embeddings": 16, "llama_4_scaling_beta": )" +
                                             beta + "}"}});
    };
    CHECK(limited("0.1").longest_scaled == 16);
    CHECK_THAT(limited("0.1").notes.front(),
               Catch::Contains("up to 16 tokens (llama_4_scaling_beta)"));
    CHECK(limited("0").longest_scaled == 0);
}

TEST_CASE("A rotation given twice is accepted if both are equal, or refused")
{
    const std::string inner = R"({"rope_type": "default", "rope_theta": 500000.0})";
    CHECK_THAT(refusal(small_llama, {{"rope_theta", "10000.0"}, {"rope_parameters", inner}}),
               Catch::Contains(
                   "rope_parameters.rope_theta: 500000.0, expected the value of 'rope_theta'"));
    CHECK(refusal(small_llama, {{"rope_theta", "500000.0"}, {"rope_parameters", inner}}) ==
          "accepted");
    CHECK_THAT(refusal(small_llama, {{"rope_scaling", R"({"type": "linear", "factor": 2.0})"},
                                     {"rope_theta", ""},
                                     {"rope_parameters", inner}}),
               Catch::Contains("expected no 'rope_scaling' in addition to 'rope_parameters'"));
}

TEST_CASE("GPT-NeoX's base under both names must be equal")
{
    const auto base = [](const char* own, const char* other) {
        Edits edits{{"architectures", R"(["GPTNeoXForCausalLM"])"},
                    {"hidden_act", "\"gelu\""},
                    {"attention_bias", ""},
                    {"layer_norm_eps", "1e-5"},
                    {"num_key_value_heads", ""},
                    {"head_dim", ""},
                    {"rotary_pct", "1.0"},
                    {"rotary_emb_base", own},
                    {"rope_theta", other}};
        return edits;
    };
    const auto phases = [&](const char* own, const char* other) {
        return read(small_llama, base(own, other)).phases;
    };
    CHECK(phases("10000", "10000.0") == phases("10000", ""));
    CHECK(phases("", "500000.0") == phases("500000.0", ""));
    CHECK(phases("", "500000.0") != phases("10000", ""));
    CHECK_THAT(refusal(small_llama, base("10000", "500000.0")),
               Catch::Contains("rope_theta: 500000.0, expected the value of 'rotary_emb_base'"));
}

TEST_CASE("A mixture's window needs its list of layers, and one chosen expert may keep its score")
{
    const auto mixture = [](const std::string& architecture, const char* experts, Edits more) {
        more.insert(more.begin(), {{"architectures", "[\"" + architecture + "\"]"},
                                   {experts, "4"},
                                   {"num_experts_per_tok", "2"},
                                   {"moe_intermediate_size", "32"}});
        return more;
    };
    const Edits window{{"use_sliding_window", "true"}, {"sliding_window", "16"}};
    Edits shared = window;
    shared.emplace_back("shared_expert_intermediate_size", "32");
    CHECK(refusal(small_llama, mixture("Qwen3MoeForCausalLM", "num_experts", window)) ==
          "config.json: has no 'layer_types', expected one");
    CHECK(refusal(small_llama, mixture("Qwen2MoeForCausalLM", "num_experts", shared)) ==
          "config.json: has no 'layer_types', expected one");
    const auto deepseek = [&](const char* chosen) {
        return read(small_llama, mixture("DeepseekForCausalLM", "n_routed_experts",
                                         {{"num_experts_per_tok", chosen},
                                          {"norm_topk_prob", "true"},
                                          {"scoring_func", "\"softmax\""}}))
            .shape.among_chosen;
    };
    CHECK(deepseek("2"));
    CHECK_FALSE(deepseek("1"));
}

TEST_CASE("Numbers too large for an image are refused by their keys")
{
    const Edits gemma{{"architectures", R"(["Gemma2ForCausalLM"])"},
                      {"hidden_activation", "\"gelu_pytorch_tanh\""}};
    const auto with = [](Edits edits, const char* key, const char* value) {
        edits.emplace_back(key, value);
        return refusal(small_llama, edits);
    };
    for (const char* const key : {"attn_logit_softcapping", "final_logit_softcapping"})
        for (const char* const value : {"1e-50", "1e-39", "-1.0", "1e7"})
            CHECK_THAT(with(gemma, key, value),
                       Catch::Contains(std::string(key) + ": ") &&
                           Catch::Contains("expected a number from 1.17549e-38 to 1e+06"));
    for (const char* const value : {"0.0", "1e-13", "0.5"})
        CHECK_THAT(with({}, "rms_norm_eps", value),
                   Catch::Contains("rms_norm_eps: ") &&
                       Catch::Contains("expected a number from 1e-12 to 0.1"));
    CHECK_THAT(with({{"architectures", R"(["OlmoeForCausalLM"])"}, {"num_experts_per_tok", "0"}},
                    "num_experts", "0"),
               Catch::Contains("num_experts: 0, expected 1 or more"));
}

TEST_CASE("Unsupported values are refused by file, key and value")
{
    CHECK(refusal(small_llama, {{"architectures", R"(["BloomForCausalLM"])"}}) ==
          "config.json: architectures[0]: \"BloomForCausalLM\", expected one of "
          "LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Ministral3ForCausalLM, "
          "ArceeForCausalLM, SeedOssForCausalLM, HeliumForCausalLM, Ernie4_5ForCausalLM, "
          "OPTForCausalLM, Qwen3ForCausalLM, Phi3ForCausalLM, GemmaForCausalLM, "
          "Gemma2ForCausalLM, Gemma3ForCausalLM, SmolLM3ForCausalLM, Olmo2ForCausalLM, "
          "Olmo3ForCausalLM, Exaone4ForCausalLM, OlmoForCausalLM, GraniteForCausalLM, "
          "Starcoder2ForCausalLM, NemotronForCausalLM, StableLmForCausalLM, "
          "CohereForCausalLM, Cohere2ForCausalLM, GlmForCausalLM, Glm4ForCausalLM, "
          "MixtralForCausalLM, Qwen3MoeForCausalLM, Qwen2MoeForCausalLM, "
          "DeepseekForCausalLM, DeepseekV2ForCausalLM, DeepseekV3ForCausalLM, "
          "Glm4MoeForCausalLM, Ernie4_5_MoeForCausalLM, GptOssForCausalLM, "
          "OlmoeForCausalLM, GraniteMoeForCausalLM, GraniteMoeSharedForCausalLM, "
          "GraniteMoeHybridForCausalLM, GPTNeoXForCausalLM, "
          "FalconForCausalLM, ExaoneForCausalLM, InternLM2ForCausalLM, InternLM3ForCausalLM, "
          "MiniCPMForCausalLM: no other is supported");
    const auto refuses = [](const Edits& keys, const std::string& key, const std::string& value) {
        INFO(key << ": " << value);
        Edits edits{{"head_dim", ""}}; // With head_dim, other numbers of heads would be valid.
        edits.emplace_back(key, value);
        CHECK_THAT(refusal(keys, edits), Catch::Contains("config.json: " + key));
    };
    refuses(small_llama, "num_local_experts", "8");
    // A gated network does not support this function.
    refuses(small_llama, "hidden_act", R"("relu2")");
    refuses(small_llama, "hidden_act", R"("tanh")");
    refuses(small_llama, "partial_rotary_factor", "0.5");
    refuses(small_llama, "mlp_bias", "true"); // A gated network has no biases.
    refuses(small_llama, "quantization_config", R"({"quant_method": "gptq"})");
    refuses(small_llama, "rope_scaling", R"({"type": "yarn"})");
    refuses(small_llama, "rope_scaling", R"({"type": "dynamic", "factor": 0.5})");
    refuses(small_llama, "rope_scaling",
            R"({"type": "mrope", "mrope_section": [16, 24, 24]})"); // This is Qwen2-VL's form.
    refuses(small_llama, "rope_scaling",
            R"({"rope_type": "default", "mrope_section": [16, 24, 24]})");
    refuses(small_llama, "rope_scaling", R"({"type": "linear", "factor": 0.5})");
    refuses(small_llama, "rope_scaling", R"({"factor": 2.0})");
    CHECK(refusal(small_llama, {{"rope_scaling", R"({"type": "dynamic", "factor": 1.0,
                                                     "alpha": 1000.0})"}}) ==
          "config.json: rope_scaling.alpha: 1000.0, expected no such key: it is unknown and may "
          "change positions; if it does not, pass this name to levee import as --ignore-key");
    refuses(small_llama, "rope_theta", "-1");
    refuses(small_llama, "eos_token_id", "512");
    refuses(small_llama, "hidden_size", "\"64\"");
    refuses(small_llama, "hidden_size", "64.0");
    refuses(small_llama, "hidden_size", "-64");
    refuses(small_llama, "num_attention_heads", "7");
    refuses(small_llama, "num_attention_heads", "0");
    refuses(small_opt, "do_layer_norm_before", "false");
    refuses(small_opt, "word_embed_proj_dim", "16");
    refuses(small_opt, "activation_function", R"("gelu")");
    refuses(small_opt, "enable_bias", "false");
    refuses(small_opt, "num_attention_heads", "5");
    CHECK(refusal(small_llama, {{"vocab_size", ""}}) ==
          "config.json: has no 'vocab_size', expected one");
}

TEST_CASE("Sizes too large for an image are refused by the keys of config.json")
{
    CHECK_THAT(refusal(small_llama, {{"num_key_value_heads", "3"}}),
               Catch::EndsWith("config.json: num_key_value_heads: 3, expected a divisor of "
                               "num_attention_heads, 8"));
    CHECK(refusal(small_llama, {{"max_position_embeddings", "2000000"}}) ==
          "config.json: max_position_embeddings: 2000000, expected 1 to 1048576");
    CHECK(refusal(small_llama, {{"rms_norm_eps", "2.0"}}) ==
          "config.json: rms_norm_eps: 2.0, expected a number from 1e-12 to 0.1");
    CHECK(refusal(small_llama, {{"head_dim", "7"}}) ==
          "config.json: head_dim: 7, expected an even number, as elements are rotated in pairs and "
          "rows are word-aligned");
    CHECK_THAT(refusal(small_llama, {{"hidden_size", "24"}, {"head_dim", ""}}),
               Catch::StartsWith("config.json: hidden_size / num_attention_heads: 3, expected"));
    CHECK(refusal(small_opt, {{"ffn_dim", "2000000"}}) ==
          "config.json: ffn_dim: 2000000, expected 1 to 1048576");
}

TEST_CASE("A config that is not JSON, or has a key twice, is refused at its place")
{
    const Folder folder;
    const auto fault = [&](const std::string& text) {
        try {
            (void)hf::read_config(folder.write("config.json", text), hf::Part::weights);
        } catch (const ModelError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK_THAT(fault("{\"a\": 1,}"),
               Catch::Contains("config.json: is not JSON: parse error at line 1"));
    CHECK_THAT(fault("[1]"), Catch::Contains("[1], expected a JSON object"));
    CHECK_THAT(fault(R"({"a": {"b": 1, "b": 2}})"), Catch::Contains("key \"b\": given twice"));
    CHECK_THAT(fault(R"({"a": {"b": 1}, "b": 2})"), Catch::Contains("has no 'model_type'"));
    CHECK_THAT(fault(""), Catch::Contains("is not JSON"));
    const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
    CHECK_THAT(fault("{\"model_type\": " + deep + "}"),
               Catch::EndsWith("config.json: lists and objects more than 64 deep, expected fewer"));
    CHECK_THAT(fault(deep), Catch::Contains("more than 64 deep"));
    CHECK_THAT(fault("{\"a\": " + std::string(63, '[') + std::string(63, ']') + "}"),
               Catch::Contains("has no 'model_type'"));
}

TEST_CASE("Parameters are counted, and the shape is written with every key")
{
    const Folder folder;
    std::filesystem::create_directory(folder.path() / "small-llama");
    const auto file =
        folder.write("small-llama/config.json",
                     text_of(small_llama, {{"_name_or_path", R"("output/checkpoint-500")"}}));
    const hf::Config config = hf::read_config(file, hf::Part::shape);
    // Here _name_or_path is a local folder, which says nothing about the model. It is only a
    // remark.
    CHECK(config.notes.empty());
    CHECK(config.remarks == Notes{"its _name_or_path is \"output/checkpoint-500\""});
    // Embedding and classifier have 512 * 64 values each. Each of 5 layers has 2 norms, Q, K, V, O
    // and three matrices of the feed-forward network. The last norm follows.
    CHECK(parameters_of(config.shape).all ==
          2 * 512 * 64 + 5 * (2 * 64 + 64 * 64 * 2 + 2 * 32 * 64 + 3 * 172 * 64) + 64);
    CHECK(hf::shape_yaml(config, LEVEE_TYPE_INT4) ==
          "name: \"small-llama\"\n"
          "source: \"" +
              file.string() +
              "\"\n"
              "dim: 64\nhidden: 172\nlayers: 5\nheads: 8\nkv_heads: 4\nhead_dim: 8\nvocab: 512\n"
              "max_context: 512\nnorm: rms\nnorm_epsilon: 1e-05\nactivation: silu_glu\n"
              "position: rope_halves\nbiases: none\ntied: false\nweights: int4\n");
}

TEST_CASE("A model has its folder's name, cut to an image's limit, and two names stay different")
{
    const Folder folder;
    const auto name_in = [&](const std::string& name) {
        std::filesystem::create_directory(folder.path() / name);
        const hf::Config config = hf::read_config(
            folder.write(name + "/config.json", text_of(small_llama)), hf::Part::shape);
        const std::string yaml = hf::shape_yaml(config, LEVEE_TYPE_INT8);
        return config.name + "; " + yaml.substr(0, yaml.find('\n'));
    };
    CHECK(name_in("tiny") == "tiny; name: \"tiny\"");
    const std::string most = "abcdefghijklmnopqrstuvwxyz12345";
    CHECK(name_in(most) == most + "; name: \"" + most + "\"");
    // The name is cut before a two-byte character.
    const std::string cut = "abcdefghijklmnopqrstuvwxy";
    CHECK_THAT(name_in(cut + "\xC3\xA9tudes in D"),
               Catch::StartsWith(cut + "~") && Catch::Contains("; name: \"" + cut + "~"));
    const std::string one = name_in(most + "-chat"), other = name_in(most + "-base");
    CHECK(one != other);
    CHECK(one.find(';') == 31);
    CHECK(model_name_of("tiny") == "tiny");
    CHECK(model_name_of(model_name_of(most + "-chat")) == model_name_of(most + "-chat"));
    CHECK_THAT(*note_on_name(most + "-chat"),
               Catch::StartsWith("its name '" + most + "-chat' is longer than the 31 bytes"));
    CHECK_FALSE(note_on_name(most));
    CHECK(name_in("a\x1B[31m\nb") == "a [31m b; name: \"a [31m b\"");
    CHECK_THAT(name_in("\xFF\xFE\xFF\xFE\xFF\xFE\xFF\xFE\xFF\xFE\xFF\xFE-7b"),
               Catch::EndsWith("; name: \"-7b\""));
}
