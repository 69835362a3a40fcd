// SPDX-License-Identifier: Apache-2.0
// Imports small models of every family and compares them with the families' descriptions.
#include "platform/input/import/huggingface/checkpoint.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/family_transformer.hpp"
#include "test/reference/named_families.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/unit/huggingface/checkpoint.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace levee;
using namespace levee::test;

namespace {

const std::vector<std::uint32_t> tokens{3, 49, 0, 17, 17, 42, 8, 1, 30, 5, 22, 11};
using Logits = std::vector<std::vector<double>>;

/// Returns the largest difference at any position, relative to the logits at that position.
double difference(const Logits& found, const Logits& expected)
{
    REQUIRE(found.size() == expected.size());
    double largest = 0;
    for (std::size_t t = 0; t < expected.size(); ++t) {
        REQUIRE(found[t].size() == expected[t].size());
        double error = 0, square = 0;
        for (std::size_t i = 0; i < expected[t].size(); ++i) {
            error += std::pow(found[t][i] - expected[t][i], 2);
            square += std::pow(expected[t][i], 2);
        }
        largest = std::max(largest, std::sqrt(error / square));
    }
    return largest;
}

ModelImage imported(const FamilyCheckpoint& model, levee_type weights)
{
    const Folder folder;
    std::vector<RawTensor> tensors;
    for (const auto& [name, tensor] : model.tensors)
        tensors.push_back({name, tensor.shape, tensor.values});
    folder.write("config.json", model.config.dump());
    folder.write("model.safetensors", safetensors(tensors));
    return ModelImage::parse(image_in_memory(hf::safetensors_source(folder.path(), ""), weights),
                             "m");
}

} // namespace

TEST_CASE("Imported families compute what their descriptions say")
{
    for (const FamilyCheckpoint& model : family_checkpoints()) {
        INFO(model.title);
        const Logits expected = family_logits(model, tokens);
        CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) < 1e-5);
    }
}

TEST_CASE("The text part of a model of texts and images is imported with either set of names")
{
    for (const FamilyCheckpoint& model : family_checkpoints()) {
        if (model.title != "Gemma 3" && model.title != "Ministral 3" && model.title != "Mistral" &&
            model.title != "Llama")
            continue;
        INFO(model.title);
        const Logits expected = family_logits(model, tokens);
        FamilyCheckpoint both = model;
        nlohmann::json text = model.config;
        text.erase("architectures");
        both.config = {{"architectures", {"SomeForConditionalGeneration"}},
                       {"model_type", "some"},
                       {"text_config", text},
                       {"vision_config", {{"hidden_size", 8}}},
                       {"eos_token_id", {1, 6}}};
        for (const bool later : {false, true}) {
            both.tensors.clear();
            for (const auto& [name, tensor] : model.tensors) {
                const bool is_inner = name.starts_with("model.");
                const std::string later_name =
                    is_inner ? "model.language_model." + name.substr(6) : name;
                both.tensors[later ? later_name : "language_model." + name] = tensor;
            }
            const std::string before = later ? "model." : "";
            both.tensors[before + "vision_tower.x.weight"] = {{2}, {1, 2}};
            both.tensors[before + "multi_modal_projector.y"] = {{2}, {1, 2}};
            const ModelImage image = imported(both, LEVEE_TYPE_FP32);
            CHECK(difference(plain_logits(image, tokens), expected) < 1e-5);
            CHECK(image.stops().size() == 1);
            both.tensors["audio_tower.z"] = {{2}, {1, 2}};
            CHECK_THROWS_WITH(imported(both, LEVEE_TYPE_FP32), Catch::Contains("audio_tower.z"));
        }
    }
}

TEST_CASE("Imported mixtures of experts compute what their descriptions say")
{
    Logits family;
    for (const FamilyCheckpoint& model : mixture_checkpoints()) {
        INFO(model.title);
        const Logits expected = family_logits(model, tokens);
        CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) < 1e-5);
        if (model.title.find(": ") == std::string::npos)
            family = expected;
        else
            CHECK(difference(expected, family) > 1e-3);
    }
}

TEST_CASE("A NaN is reported with its own expert's tensor and row")
{
    for (const FamilyCheckpoint& model : mixture_checkpoints()) {
        if (model.title != "Qwen3 MoE")
            continue;
        for (const std::string name : {"gate_proj", "up_proj", "down_proj"}) {
            FamilyCheckpoint broken = model;
            const std::string tensor = "model.layers.2.mlp.experts.4." + name + ".weight";
            auto& values = broken.tensors.at(tensor);
            values.values.at(3 * values.shape.at(1) + 5) = std::nanf("");
            try {
                (void)imported(broken, LEVEE_TYPE_INT8);
                FAIL("accepted");
            } catch (const ModelError& error) {
                CHECK_THAT(error.what(), Catch::Contains("tensor " + tensor + ": row 3, column 5"));
            }
        }
    }
}

TEST_CASE("Imported latent attention computes what its description says")
{
    Logits family;
    for (const FamilyCheckpoint& model : latent_checkpoints()) {
        INFO(model.title);
        const Logits expected = family_logits(model, tokens);
        CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) < 1e-5);
        if (model.title.find(": ") == std::string::npos)
            family = expected;
        else
            CHECK(difference(expected, family) > 1e-3);
    }
}

TEST_CASE("Imported families with their own names compute what their descriptions say")
{
    Logits family;
    for (const FamilyCheckpoint& model : named_checkpoints()) {
        INFO(model.title);
        const Logits expected = named_logits(model, tokens);
        CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) < 1e-5);
        if (model.title.find(": ") == std::string::npos)
            family = expected;
        else
            CHECK(difference(expected, family) > 1e-3);
    }
}

TEST_CASE("Other models of families with their own names are refused by their keys")
{
    const auto fault = [](const std::string& title, const nlohmann::json& patch) {
        for (FamilyCheckpoint model : named_checkpoints())
            if (model.title == title)
                try {
                    model.config.merge_patch(patch);
                    (void)imported(model, LEVEE_TYPE_FP32);
                } catch (const ModelError& error) {
                    return std::string(error.what());
                }
        return std::string("accepted");
    };
    CHECK_THAT(fault("Falcon", {{"alibi", true}}), Catch::Contains("alibi: true"));
    CHECK_THAT(fault("Falcon", {{"multi_query", false}}),
               Catch::Contains("multi_query: false, expected true: other models of this family"));
    CHECK_THAT(fault("Falcon", {{"new_decoder_architecture", true}}),
               Catch::Contains("new_decoder_architecture: true, expected false"));
    CHECK_THAT(fault("GPT-NeoX", {{"attention_bias", false}}),
               Catch::Contains("attention_bias: false, expected true"));
    CHECK_THAT(fault("InternLM 2", {{"bias", true}}), Catch::Contains("bias: true"));
    // The default is true.
    CHECK_THAT(fault("InternLM 2", {{"bias", nullptr}}), Catch::Contains("bias"));
    CHECK_THAT(fault("EXAONE", {{"attention_bias", true}}), Catch::Contains("attention_bias"));
    CHECK_THAT(fault("MiniCPM", {{"scale_emb", 0}}), Catch::Contains("scale_emb: 0"));
}

TEST_CASE("Windows of families follow their descriptions, also in texts longer than a window")
{
    std::size_t families = 0;
    for (FamilyCheckpoint model : family_checkpoints()) {
        const std::set<std::string> local{"mistral", "phi3",       "gemma2", "gemma3_text",
                                          "cohere2", "starcoder2", "olmo3",  "exaone4"};
        if (model.title.find(": ") != std::string::npos || !local.contains(model.type()))
            continue;
        INFO(model.title);
        ++families;
        model.config["sliding_window"] = tokens.size();
        const Logits full = family_logits(model, tokens);
        for (const std::size_t window : {1U, 2U, 3U}) {
            model.config["sliding_window"] = window;
            const Logits expected = family_logits(model, tokens);
            CHECK(difference(full, expected) > 1e-3);
            CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) <
                  1e-5);
        }
    }
    CHECK(families == 8);
}

TEST_CASE("Each variant of a family computes something else than the family")
{
    Logits family;
    for (const FamilyCheckpoint& model : family_checkpoints()) {
        INFO(model.title);
        const Logits logits = family_logits(model, tokens);
        if (model.title.find(": ") == std::string::npos)
            family = logits;
        else
            CHECK(difference(logits, family) > 1e-3);
    }
}
