// SPDX-License-Identifier: Apache-2.0
// Tests keys of a config.json that a run does not support.
#include "test/unit/huggingface/config_case.hpp"

using namespace levee;
using namespace levee::test;

TEST_CASE("Qwen3 has norms of queries and keys")
{
    const Edits qwen3{{"architectures", R"(["Qwen3ForCausalLM"])"}, {"sliding_window", "null"}};
    const hf::Config config = read(small_llama, qwen3);
    CHECK(config.shape.head_norm == HeadNorm::head);
    CHECK(parameters_of(config.shape).all ==
          parameters_of(read(small_llama).shape).all + 5 * 2 * 8);
    CHECK(config.notes.empty());
    CHECK_THAT(hf::shape_yaml(config, LEVEE_TYPE_INT8),
               Catch::Contains("\nweights: int8\nhead_norm: head\n"));
    Edits without = qwen3;
    without.emplace_back("head_dim", "");
    CHECK(read(small_llama, without, hf::Part::shape).shape.head_dim == 128);
}

TEST_CASE("Phi-3 is a Llama with its own epsilon, and its long positions limit the context")
{
    const Edits phi3{{"architectures", R"(["Phi3ForCausalLM"])"},
                     {"original_max_position_embeddings", "128"},
                     {"sliding_window", "300"},
                     {"rms_norm_eps", ""}};
    const hf::Config config = read(small_llama, phi3);
    CHECK(config.shape.norm_epsilon == 1e-5F);
    REQUIRE(config.notes.size() == 1);
    CHECK(config.shape.window == 300);
    CHECK(config.shape.layer_flags == std::vector<std::uint32_t>(5, LEVEE_LAYER_LOCAL));
    Edits longer = phi3;
    longer.emplace_back("rope_scaling", R"({"type": "longrope", "short_factor": [1, 1, 1, 2],
                                            "long_factor": [1, 1, 1, 4]})");
    const hf::Config scaled = read(small_llama, longer);
    CHECK(scaled.shape.max_context == 128);
    CHECK_THAT(scaled.notes.at(0), Catch::StartsWith("its positions are scaled for up to "
                                                     "128 tokens (short_factor)"));
    CHECK(scaled.phases[2] == config.phases[2]);
    CHECK(scaled.phases[3] == Approx(config.phases[3] / 2.0).margin(1));
    CHECK(read(small_llama, longer, hf::Part::shape).shape.max_context == 512);
    // The first pair turns by 8 / (2 pi) turns per position; whole turns have no effect.
    Edits faster = phi3;
    faster.emplace_back("rope_scaling", R"({"type": "longrope", "short_factor": [0.125, 1, 1, 2],
                                            "long_factor": [1, 1, 1, 4]})");
    const double turns = 8 / (2 * std::acos(-1.0));
    CHECK(read(small_llama, faster).phases[0] ==
          Approx((turns - std::floor(turns)) * 0x1p32).epsilon(1e-6));
    Edits short_list = phi3;
    short_list.emplace_back("rope_scaling", R"({"type": "longrope", "short_factor": [1, 1],
                                                "long_factor": [1, 1]})");
    CHECK_THAT(refusal(small_llama, short_list),
               Catch::StartsWith("config.json: rope_scaling.short_factor") &&
                   Catch::EndsWith("expected 4 numbers, one for each pair"));
}

TEST_CASE("Keys that change the computation are refused, also in a shape")
{
    for (const hf::Part part : {hf::Part::weights, hf::Part::shape})
        for (const auto& [key, value] :
             Edits{{"attn_logit_softcapping", "50.0"},
                   {"final_logit_softcapping", "30.0"},
                   {"use_qk_norm", "true"},
                   {"no_rope_layers", "[1, 1, 1, 0, 1]"},
                   {"no_rope_layer_interval", "4"},
                   {"embedding_multiplier", "12"},
                   {"residual_multiplier", "0.22"},
                   {"attention_multiplier", "0.125"},
                   {"query_pre_attn_scalar", "256"},
                   {"logits_scaling", "8"},
                   {"dim_model_base", "256"},
                   {"attention_chunk_size", "8192"},
                   {"kv_lora_rank", "512"},
                   {"is_causal", "false"},
                   {"partial_rotary_factor", "0.5"},
                   {"rope_parameters", R"({"rope_type": "default", "rope_theta": 10000.0,
                                           "partial_rotary_factor": 0.5})"},
                   {"layer_types", R"(["full_attention", "linear_attention"])"}}) {
            INFO(key);
            try {
                (void)read(small_llama, {{key, value}}, part);
                FAIL("accepted");
            } catch (const ModelError& error) {
                CHECK_THAT(error.what(), Catch::Contains("config.json: " + key));
            }
        }
}

TEST_CASE("Keys with values that change nothing are accepted, and unknown keys are refused")
{
    CHECK(read(small_llama, {{"attn_logit_softcapping", "null"},
                             {"use_qk_norm", "false"},
                             {"no_rope_layers", "[1, 1, 1, 1, 1]"},
                             {"no_rope_layer_interval", "4"},
                             {"embedding_multiplier", "1.0"},
                             // The value is 1 / sqrt(8).
                             {"attention_multiplier", "0.3535533905932738"},
                             {"query_pre_attn_scalar", "8"},
                             {"layer_types", R"(["full_attention", "full_attention",
                                 "full_attention", "full_attention", "full_attention"])"}})
              .notes.empty());
    CHECK_THAT(refusal(small_llama, {{"layer_types", R"(["full_attention"])"}}),
               Catch::EndsWith("expected one for each of the 5 layers"));
    CHECK_THAT(refusal(small_llama, {{"layer_types", R"(["full_attention", "sliding_attention",
                                 "full_attention", "full_attention", "full_attention"])"}}),
               Catch::Contains("layer_types[1]"));
    const Edits strange{{"something_new", "3"}, {"another", "true"}, {"nothing", "null"}};
    CHECK_THAT(refusal(small_llama, strange),
               Catch::StartsWith("config.json: another (true), something_new (3), expected no such "
                                 "keys") &&
                   Catch::Contains("--ignore-key another"));
    CHECK_THAT(
        read(small_llama, strange, hf::Part::shape, {"something_new", "another"}).notes.at(0),
        Catch::StartsWith("keys of its config.json were ignored on request") &&
            Catch::EndsWith(": another (true), something_new (3)"));
    for (const std::string key : {"hidden_size", "absent"})
        CHECK_THROWS_WITH(read(small_llama, strange, hf::Part::shape, {key}),
                          Catch::Contains("--ignore-key: '" + key + "'") &&
                              Catch::EndsWith("one of another (true), something_new (3)"));
}

TEST_CASE("Keys with the same meaning as others are refused if they differ")
{
    const Edits oss{{"architectures", R"(["GptOssForCausalLM"])"},
                    {"num_local_experts", "8"},
                    {"num_experts_per_tok", "4"},
                    {"experts_per_token", "4"},
                    {"initial_context_length", "256"},
                    {"attention_bias", "true"},
                    {"rope_scaling", R"({"rope_type": "yarn", "factor": 2.0,
                                         "original_max_position_embeddings": 256})"}};
    CHECK(read(small_llama, oss).shape.glu_alpha == 1.702F);
    Edits alpha = oss;
    alpha.emplace_back("swiglu_alpha", "1.5");
    CHECK(read(small_llama, alpha).shape.glu_alpha == 1.5F);
    for (const auto& [key, value] : Edits{{"experts_per_token", "2"},
                                          {"initial_context_length", "128"},
                                          {"original_max_position_embeddings", "128"},
                                          {"num_kv_heads", "2"}}) {
        Edits other = oss;
        other.emplace_back(key, value);
        CHECK_THAT(refusal(small_llama, other),
                   Catch::StartsWith("config.json: " + key + ": " + value + ", expected ") &&
                       Catch::EndsWith("programs differ in which of the two they read"));
    }
    const Edits cohere{{"architectures", R"(["Cohere2ForCausalLM"])"}, {"layer_norm_eps", "1e-5"}};
    for (const auto& [key, value] : Edits{{"use_parallel_block", "false"},
                                          {"use_gated_activation", "false"},
                                          {"position_embedding_type", R"("alibi")"},
                                          {"use_embedding_sharing", "true"}}) { // small_llama does
                                                                                // not share
                                                                                // embeddings.
        Edits other = cohere;
        other.emplace_back(key, value);
        CHECK_THAT(refusal(small_llama, other), Catch::StartsWith("config.json: " + key + ": "));
    }
}

TEST_CASE("In a model of texts and images, the key for a tied classifier may be at the top level")
{
    Edits inner = small_llama;
    std::erase_if(inner, [](const auto& key) {
        return key.first == "tie_word_embeddings" || key.first == "architectures";
    });
    const auto tied = [&](const Edits& text, const Edits& outside) {
        const std::string part = text_of(inner, text);
        Edits whole{{"architectures", R"(["Mistral3ForConditionalGeneration"])"},
                    {"text_config", part}};
        whole.insert(whole.end(), outside.begin(), outside.end());
        return read(whole, {}, hf::Part::shape).shape.tied;
    };
    const std::string key = "tie_word_embeddings";
    CHECK_FALSE(tied({}, {}));
    CHECK(tied({}, {{key, "true"}}));
    CHECK(tied({{key, "true"}}, {}));
    CHECK(tied({{key, "true"}}, {{key, "true"}}));
    CHECK_THROWS_WITH(tied({{key, "false"}}, {{key, "true"}}),
                      Catch::Contains("text_config.tie_word_embeddings: false, expected true"));
}

TEST_CASE("Keys outside of text_config are known, or refused by name")
{
    const auto whole = [](const Edits& outside) {
        Edits edits{{"architectures", R"(["Gemma3ForConditionalGeneration"])"},
                    {"text_config", text_of(small_llama, {})}};
        edits.insert(edits.end(), outside.begin(), outside.end());
        return edits;
    };
    const Edits known{{"boi_token_index", "1"},       {"eoi_token_index", "2"},
                      {"image_token_index", "3"},     {"mm_tokens_per_image", "256"},
                      {"initializer_range", "2"},     {"vision_config", "{}"},
                      {"torch_dtype", "\"float16\""}, {"strange", "null"}};
    CHECK_NOTHROW(read(whole(known), {}, hf::Part::shape));
    CHECK_THROWS_WITH(read(whole({{"strange", "7"}}), {}, hf::Part::shape),
                      Catch::Contains("strange (7), expected no such keys outside of text_config"));
    CHECK_THROWS_WITH(read(whole({{"residual_multiplier", "2"}}), {}, hf::Part::shape),
                      Catch::Contains("residual_multiplier (2), expected no such keys outside"));
    // Nobody reads these outside: only keys of text_config count.
    for (const auto& [key, value] : Edits{{"attention_multiplier", "0.5"},
                                          {"sliding_window", "7"},
                                          {"mm_layers", "3"},
                                          {"image_scale", "2"},
                                          {"activation_function", R"("relu")"},
                                          {"rope_scaling", R"({"type": "linear", "factor": 2.0})"}})
        CHECK_THROWS_WITH(read(whole({{key, value}}), {}, hf::Part::shape),
                          Catch::Contains(key + " (") &&
                              Catch::Contains("expected no such keys outside of text_config"));
    CHECK_THROWS_WITH(read(whole({{"hidden_size", "1"}}), {}, hf::Part::shape),
                      Catch::Contains("config.json: hidden_size: 1, expected ") &&
                          Catch::EndsWith("the value in text_config"));
    CHECK_THAT(read(whole({{"strange", "7"}}), {}, hf::Part::shape, {"strange"}).notes.at(0),
               Catch::StartsWith("keys of its config.json were ignored") &&
                   Catch::EndsWith(": strange (7)"));
}

TEST_CASE("Refusals of Qwen2's attention_bias and of compressed-tensors state the reason")
{
    CHECK_THAT(refusal(small_llama, {{"architectures", R"(["Qwen2ForCausalLM"])"},
                                     {"model_type", R"("qwen2")"},
                                     {"attention_bias", "true"}}),
               Catch::Contains("attention_bias: true, expected false or no such key: models of "
                               "this family always have biases for Q, K and V"));
    CHECK_THAT(refusal(small_llama,
                       {{"quantization_config", R"({"quant_method": "compressed-tensors"})"}}),
               Catch::Contains("packed integers and scales of compressed-tensors are not read"));
}

TEST_CASE("A quantisation next to text_config applies to the text model")
{
    Edits whole{{"architectures", R"(["Gemma3ForConditionalGeneration"])"},
                {"text_config", text_of(small_llama, {})},
                {"quantization_config", R"({"quant_method": "bitsandbytes"})"}};
    for (const hf::Part part : {hf::Part::shape, hf::Part::weights})
        CHECK_THROWS_WITH(read(whole, {}, part),
                          Catch::Contains("quantization_config.quant_method: \"bitsandbytes\""));
}

TEST_CASE("Without a window no layer of Cohere 2 is rotated")
{
    const Edits cohere{{"architectures", R"(["Cohere2ForCausalLM"])"},
                       {"model_type", R"("cohere2")"},
                       {"sliding_window", "null"},
                       {"rms_norm_eps", ""}};
    const hf::Config config = read(small_llama, cohere);
    CHECK(config.shape.layer_flags == std::vector<std::uint32_t>(5, LEVEE_LAYER_UNROTATED));
}

TEST_CASE("A key of position scaling is ignored only by its whole name")
{
    const Edits scaled{{"rope_scaling", R"({"type": "linear", "factor": 2.0, "strange": 7})"}};
    CHECK_THAT(refusal(small_llama, scaled), Catch::Contains("rope_scaling.strange: 7"));
    const hf::Config config = read(small_llama, scaled, hf::Part::shape, {"rope_scaling.strange"});
    CHECK_THAT(config.notes.at(0), Catch::StartsWith("keys of its config.json were ignored") &&
                                       Catch::EndsWith(": rope_scaling.strange (7)"));
    const Edits within{{"text_config", text_of(small_llama, {{"strange", "7"}})}};
    for (const char* name : {"strange", "text_config.strange"})
        CHECK_THAT(read(within, {}, hf::Part::shape, {name}).notes.at(0),
                   Catch::EndsWith(": strange (7)"));
    for (const auto& [name, why] :
         Edits{{"rope_scaling.factor", "it cannot be ignored"},
               {"rope_scaling.other", "no such key"},
               {"rope_parameters.strange", "no such key"},
               {"rope_scaling.strange.x", "no such key"},
               {"quantization_config.bits", "or one of rope_scaling or rope_parameters"}})
        CHECK_THROWS_WITH(read(small_llama, scaled, hf::Part::shape, {name}),
                          Catch::StartsWith("--ignore-key: '" + name + "'") &&
                              Catch::EndsWith(why));
}

TEST_CASE("Keys of published files that change nothing are known")
{
    const Edits cohere{{"architectures", R"(["Cohere2ForCausalLM"])"},
                       {"layer_norm_eps", "1e-5"},
                       {"logit_scale", "0.25"},
                       {"layer_switch", "4"},
                       {"use_parallel_block", "true"},
                       {"rotary_pct", "1.0"},
                       {"cache_implementation", R"("hybrid")"},
                       {"position_embedding_type", R"("rope_gptj")"}};
    CHECK_NOTHROW(read(small_llama, cohere));
    CHECK_THAT(refusal(small_llama, {{"layer_switch", "4"}}), Catch::Contains("layer_switch (4)"));
    const Edits phi{{"architectures", R"(["Phi3ForCausalLM"])"},
                    {"full_attn_mod", "1"},
                    {"interpolate_factor", "1"},
                    {"lm_head_bias", "false"}};
    CHECK_NOTHROW(read(small_llama, phi));
    CHECK_NOTHROW(read(small_llama, {{"architectures", R"(["MiniCPMForCausalLM"])"},
                                     {"scale_emb", "12"},
                                     {"scale_depth", "1.4"},
                                     {"dim_model_base", "32"},
                                     {"mup_denominator", "32"}}));
    for (const auto& [key, value] : Edits{{"full_attn_mod", "2"}, {"lm_head_bias", "true"}}) {
        Edits other = phi;
        other.emplace_back(key, value);
        CHECK_THAT(refusal(small_llama, other), Catch::StartsWith("config.json: " + key));
    }
}

TEST_CASE("Python's NaN and infinity are read, but refused as sizes")
{
    const Edits limits{{"_limits", "[0.0, Infinity, -Infinity, NaN]"},
                       {"_note", R"("NaN \" Infinity")"}};
    CHECK(read(small_llama, limits).notes.empty());
    CHECK_THAT(refusal(small_llama, {{"rope_theta", "Infinity"}}),
               Catch::Contains("config.json: rope_theta: \"Infinity\", expected a number"));
    CHECK_THAT(refusal(small_llama, {{"hidden_size", "NaN"}}),
               Catch::Contains("config.json: hidden_size: \"NaN\", expected an integer"));
    CHECK_THAT(refusal(small_llama, {{"architectures", R"(["NemotronHForCausalLM"])"},
                                     {"time_step_limit", "[0.0, Infinity]"}}),
               Catch::Contains("\"NemotronHForCausalLM\", expected another family: it has "
                               "recurrent or state-space layers, which Levee does not support"));
}

TEST_CASE("Periods and lists of layers, and parts of heads, that no model can have are refused")
{
    const auto fault = [](const char* architecture, const char* key, const char* value) {
        return refusal(small_llama, {{"architectures", "[\"" + std::string(architecture) + "\"]"},
                                     {"layer_norm_eps", "1e-5"},
                                     {"sliding_window", "64"},
                                     {key, value}});
    };
    CHECK(fault("Gemma3ForCausalLM", "sliding_window_pattern", "0") ==
          "config.json: sliding_window_pattern: 0, expected 1 or more layers");
    CHECK(fault("SmolLM3ForCausalLM", "no_rope_layer_interval", "0") ==
          "config.json: no_rope_layer_interval: 0, expected 1 or more layers");
    CHECK_THAT(fault("SmolLM3ForCausalLM", "no_rope_layers", "[1, 0]"),
               Catch::StartsWith("config.json: no_rope_layers: [1,0]") &&
                   Catch::EndsWith("expected one for each of the 5 layers"));
    for (const std::string odd : {R"("a")", "null", "2"}) {
        const std::string list = "[1, 1, 1, 1, " + odd + "]";
        CHECK(fault("SmolLM3ForCausalLM", "no_rope_layers", list.c_str()) ==
              "config.json: no_rope_layers[4]: " + odd +
                  ", expected 1 for a layer that is rotated, 0 for one that is not");
    }
    CHECK(read(small_llama, {{"architectures", R"(["SmolLM3ForCausalLM"])"},
                             {"no_rope_layers", "[true, false, 1, 0, 1]"}})
              .shape.layer_flags == std::vector<std::uint32_t>{0, 1, 0, 1, 0});
    for (const char* const share : {"0.1", "0.4", "0", "1.5"}) // Shares of the 8 elements of a
                                                               // head.
        CHECK_THAT(fault("StableLmForCausalLM", "partial_rotary_factor", share),
                   Catch::StartsWith("config.json: partial_rotary_factor: " + std::string(share)));
    CHECK(fault("StableLmForCausalLM", "head_dim", "2") ==
          "config.json: partial_rotary_factor: 0 elements by default, expected an even "
          "number of a head's 2 elements");
}

TEST_CASE("Missing constants are the family's, and are reported")
{
    const Edits gemma2{{"architectures", R"(["Gemma2ForCausalLM"])"},
                       {"hidden_activation", R"("gelu_pytorch_tanh")"},
                       {"sliding_window", "64"}};
    const hf::Config silent = read(small_llama, gemma2);
    CHECK(silent.shape.score_cap == 50.0F);
    CHECK(silent.shape.logit_cap == 30.0F);
    CHECK_THAT(silent.notes.back(), Catch::Contains("attn_logit_softcapping (50.0)") &&
                                        Catch::Contains("final_logit_softcapping (30.0)") &&
                                        Catch::Contains("query_pre_attn_scalar (256.0)"));
    Edits none = gemma2;
    none.insert(none.end(),
                {{"attn_logit_softcapping", "null"}, {"final_logit_softcapping", "null"}});
    CHECK(read(small_llama, none).shape.score_cap == 0.0F);
    CHECK(read(small_llama, none).shape.logit_cap == 0.0F);
    CHECK(
        read(small_llama, none).shape.layer_flags ==
        std::vector<std::uint32_t>{LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL});
}

namespace {

const Edits small_deepseek{{"architectures", R"(["DeepseekV2ForCausalLM"])"},
                           {"num_key_value_heads", "8"},
                           {"q_lora_rank", "null"},
                           {"kv_lora_rank", "32"},
                           {"qk_nope_head_dim", "16"},
                           {"qk_rope_head_dim", "8"},
                           {"v_head_dim", "16"},
                           {"n_routed_experts", "6"},
                           {"n_shared_experts", "2"},
                           {"num_experts_per_tok", "2"},
                           {"moe_intermediate_size", "24"},
                           {"first_k_dense_replace", "1"},
                           {"routed_scaling_factor", "2.0"},
                           {"norm_topk_prob", "false"}};

Edits deepseek(const Edits& edits = {})
{
    Edits keys = small_deepseek;
    keys.insert(keys.end(), edits.begin(), edits.end());
    return keys;
}

} // namespace

TEST_CASE("Sizes of latent attention that are missing, odd or too large are named by their keys")
{
    CHECK(read(small_llama, deepseek()).shape.head_dim == 40);
    for (const std::string key :
         {"kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "q_lora_rank"}) {
        INFO(key);
        CHECK(refusal(small_llama, deepseek({{key, ""}})) ==
              "config.json: has no '" + key + "', expected one");
    }
    for (const std::string key : {"kv_lora_rank", "qk_rope_head_dim"})
        for (const std::string value : {"0", "33"}) {
            INFO(key);
            CHECK(refusal(small_llama, deepseek({{key, value}})) ==
                  "config.json: " + key + ": " + value + ", expected an even number, 2 or more");
        }
    for (const std::string key : {"qk_nope_head_dim", "v_head_dim"})
        CHECK_THAT(refusal(small_llama, deepseek({{key, "0"}})),
                   Catch::StartsWith("config.json: " + key + ": 0, expected 1 to"));
    CHECK_THAT(refusal(small_llama, deepseek({{"kv_lora_rank", "2000000000"}})),
               Catch::StartsWith("config.json: kv_lora_rank + qk_rope_head_dim: 2000000008"));
}

TEST_CASE("DeepSeek's scores follow its own code, and null means no experts")
{
    const Edits third{{"architectures", R"(["DeepseekV3ForCausalLM"])"}};
    CHECK(refusal(small_llama, deepseek({{"scoring_func", R"("sigmoid")"}})) ==
          "config.json: scoring_func: \"sigmoid\", expected softmax");
    Edits softmax = deepseek(third);
    softmax.emplace_back("scoring_func", R"("softmax")");
    CHECK(refusal(small_llama, softmax) ==
          "config.json: scoring_func: \"softmax\", expected sigmoid");
    CHECK_FALSE(read(small_llama, deepseek({{"scoring_func", R"("softmax")"}})).shape.sigmoid);
    CHECK(read(small_llama, deepseek(third)).shape.sigmoid);

    const hf::Config dense = read(small_llama, deepseek({{"n_routed_experts", "null"}}));
    CHECK(dense.shape.experts == 0);
    CHECK(dense.shape.hidden == 172);
    CHECK(dense.shape.dense_hidden == 0);
    CHECK(dense.shape.layer_flags.empty());
    CHECK(refusal(small_llama, deepseek({{"n_routed_experts", ""}})) ==
          "config.json: has no 'n_routed_experts', expected one");
    CHECK_THAT(refusal(small_llama, {{"architectures", R"(["MixtralForCausalLM"])"},
                                     {"num_local_experts", "null"}}),
               Catch::Contains("has no 'num_local_experts'"));
}

TEST_CASE("A Qwen3 mixture may state that it normalises queries and keys")
{
    const Edits coder{{"architectures", R"(["Qwen3MoeForCausalLM"])"},
                      {"num_experts", "4"},
                      {"num_experts_per_tok", "2"},
                      {"moe_intermediate_size", "32"},
                      {"norm_topk_prob", "true"},
                      {"shared_expert_intermediate_size", "0"},
                      {"use_qk_norm", "true"}};
    CHECK(read(small_llama, coder).shape.head_norm == HeadNorm::head);
}

TEST_CASE("A Granite 4 with state layers is refused with the first of them")
{
    const Edits granite{{"architectures", R"(["GraniteMoeHybridForCausalLM"])"},
                        {"num_local_experts", "0"},
                        {"shared_intermediate_size", "96"},
                        {"mamba_d_state", "128"},
                        {"normalization_function", R"("rmsnorm")"},
                        {"layer_types", R"(["attention", "attention", "attention", "attention",
                                            "attention"])"},
                        {"position_embedding_type", R"("rope")"}};
    CHECK(read(small_llama, granite).shape.hidden == 96);
    Edits unlisted = granite; // Without the list, transformers gives every layer a Mamba state.
    unlisted.emplace_back("layer_types", "");
    CHECK_THAT(refusal(small_llama, unlisted), Catch::Contains("has no 'layer_types'"));
    Edits normal = granite;
    normal.emplace_back("normalization_function", R"("layernorm")");
    CHECK_THAT(refusal(small_llama, normal),
               Catch::StartsWith("config.json: normalization_function: \"layernorm\", expected "
                                 "\"rmsnorm\""));
    Edits mamba = granite;
    mamba.emplace_back("layer_types",
                       R"(["attention", "mamba", "attention", "attention", "attention"])");
    CHECK_THAT(refusal(small_llama, mamba),
               Catch::StartsWith("config.json: layer_types[1]: \"mamba\", expected "
                                 "full_attention, attention or sliding_attention"));
    Edits learned = granite;
    learned.emplace_back("position_embedding_type", R"("alibi")");
    CHECK_THAT(refusal(small_llama, learned),
               Catch::StartsWith("config.json: position_embedding_type: \"alibi\", expected rope"));
}

TEST_CASE("The number of experts per token is checked under the family's own key")
{
    for (const auto& [family, keys] :
         std::vector<std::pair<std::string, std::pair<std::string, std::string>>>{
             {"MixtralForCausalLM", {"num_local_experts", "num_experts_per_tok"}},
             {"Ernie4_5_MoeForCausalLM", {"moe_num_experts", "moe_k"}}}) {
        const Edits mixture{{"architectures", "[\"" + family + "\"]"},
                            {keys.first, "4"},
                            {"moe_intermediate_size", "32"},
                            {keys.second, "5"}};
        CHECK_THAT(refusal(small_llama, mixture),
                   Catch::StartsWith("config.json: " + keys.second + ": 5, expected 1 to 4"));
    }
}

TEST_CASE("InternLM3 is a Llama with a key for biases of Q, K and V")
{
    const Edits internlm{{"architectures", R"(["InternLM3ForCausalLM"])"}, {"bias", "false"}};
    CHECK_FALSE(read(small_llama, internlm).shape.qkv_biases);
    Edits biased = internlm;
    biased.emplace_back("qkv_bias", "true");
    CHECK(read(small_llama, biased).shape.qkv_biases);
    Edits all = internlm;
    all.emplace_back("bias", "true");
    CHECK_THAT(refusal(small_llama, all), Catch::StartsWith("config.json: bias: true"));
}

TEST_CASE("Families that no run supports are refused with the unsupported computation")
{
    for (const auto& [name, why] : Edits{{"PhiMoEForCausalLM", "router"},
                                         {"HunYuanDenseV1ForCausalLM", "after their rotation"},
                                         {"Lfm2ForCausalLM", "convolutions"},
                                         {"BitNetForCausalLM", "last matrix of attention"},
                                         {"ApertusForCausalLM", "xIELU"},
                                         {"DeepseekV32ForCausalLM", "indexer"},
                                         {"GlmMoeDsaForCausalLM", "indexer"},
                                         {"Gemma3nForConditionalGeneration", "share keys"},
                                         {"Llama4ForConditionalGeneration", "chunked"},
                                         {"Qwen3NextForCausalLM", "linear attention"},
                                         {"JambaForCausalLM", "state-space"}})
        CHECK_THAT(refusal(small_llama, {{"architectures", "[\"" + name + "\"]"}}),
                   Catch::StartsWith("config.json: architectures[0]: \"" + name +
                                     "\", expected another family") &&
                       Catch::Contains(why));
    CHECK_THAT(refusal(small_llama, {{"architectures", ""}, {"model_type", R"("llama4_text")"}}),
               Catch::Contains("attention is chunked"));
}

TEST_CASE("A model in a download cache has its repository's name")
{
    const Folder folder;
    const auto named = [&](const std::string& at) {
        std::filesystem::create_directories(folder.path() / at);
        return hf::read_config(folder.write(at + "/config.json", text_of(small_llama, {})),
                               hf::Part::shape)
            .name;
    };
    CHECK(named("models--Qwen--Qwen3-0.6B/snapshots/c1899de289a04d12100db370d81485cdf75e47ca") ==
          "Qwen3-0.6B");
    CHECK(named("mine/snapshots/third") == "third");
    CHECK(named("models--Qwen--Qwen3-0.6B") == "models--Qwen--Qwen3-0.6B");
}
