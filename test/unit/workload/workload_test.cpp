// SPDX-License-Identifier: Apache-2.0
// Tests how a workload's texts become sequences.
#include "platform/input/workload/model.hpp"
#include "platform/input/workload/workload.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace levee;

namespace {

const std::filesystem::path embedded_model = LEVEE_EMBEDDED_MODEL;

/// Returns a workload that scores 8 tokens of a shipped text.
config::WorkloadConfig scored_text(std::uint32_t context)
{
    config::WorkloadConfig config;
    config.text_file = embedded_model / "held_out.txt";
    config.context = context;
    config.max_tokens = 8;
    config.separator = config::end_of_text;
    config.batch = 1;
    config.stop_token = "none";
    return config;
}

} // namespace

TEST_CASE("A text to score needs a context of two tokens")
{
    const ModelImage model = ModelImage::open(embedded_model / "stories.levee");
    CHECK_THROWS_WITH(prepare_workload(scored_text(1), model, true),
                      Catch::EndsWith("'workload.context' is 1; a text is scored from its second "
                                      "token on: expected 2 or more"));
    // The second token of each sequence of two is scored.
    const PreparedWorkload prepared = prepare_workload(scored_text(2), model, true);
    REQUIRE(prepared.sequences.size() == 8);
    for (const EncodedSequence& sequence : prepared.sequences)
        CHECK(sequence.tokens.size() == 2);
}

TEST_CASE("If all layers keep only their window, contexts may exceed the array's products")
{
    const auto context = [](std::uint32_t window, std::vector<std::uint32_t> flags) {
        ModelShape shape = llama_shape(16, 16, 2, 2, 2, 300, 100000);
        shape.window = window;
        shape.layer_flags = std::move(flags);
        config::WorkloadConfig config;
        config.prompt_tokens = 4;
        config.batch = 1;
        config.stop_token = "none";
        config.context = 50000;
        const ModelImage model = ModelImage::of_shape(shape, LEVEE_TYPE_INT8, "m");
        return prepare_workload(config, model, true).context;
    };
    CHECK(context(4096, {LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL}) == 50000);
    CHECK_THROWS_WITH(context(4096, {LEVEE_LAYER_LOCAL, 0}),
                      Catch::Contains("a cache that keeps all tokens is limited to 32768"));
    CHECK_THROWS_WITH(context(40000, {LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL}),
                      Catch::Contains("a cache that keeps all tokens is limited to 32768"));
}

TEST_CASE("A shape that no model has is refused at its key")
{
    config::ModelConfig config;
    config.place = {std::make_shared<const std::string>("s.yaml"), 1, 1};
    config.shape.emplace();
    config.shape->name = "m";
    config.shape->shape = llama_shape(16, 16, 2, 4, 3, 300, 100);
    config.shape->places["kv_heads"] = {std::make_shared<const std::string>("s.yaml"), 7, 11};
    CHECK_THROWS_WITH(open_model(config),
                      Catch::Equals("s.yaml:7:11: 'model.shape.kv_heads': 3, expected a divisor of "
                                    "heads, 4"));
    config.shape->shape.kv_heads = 2;
    config.shape->shape.vocab = 0;
    CHECK_THROWS_WITH(open_model(config), Catch::Contains("s.yaml:1:1: 'model.shape.vocab': 0"));
}

TEST_CASE("A file is divided into texts by its separator, by default the end of a text")
{
    const ModelImage model = ModelImage::open(embedded_model / "stories.levee");
    config::WorkloadConfig config = scored_text(200);
    config.max_tokens = 0;
    CHECK(prepare_workload(config, model, true).texts == 20);
    config.max_tokens = 8;
    CHECK(prepare_workload(config, model, true).texts == 1); // The other texts are not reached.
    config.max_tokens = 0;
    config.separator = "One afternoon"; // This occurs in each text and divides it into two.
    config.text_file = embedded_model / "held_out.txt";
    CHECK_THROWS_WITH(prepare_workload(config, model, true),
                      Catch::Contains("no token for the word '<|endoftext|>'"));
}

TEST_CASE("Prompts without a text are refused before memory is reserved for them")
{
    const ModelImage model = ModelImage::open(embedded_model / "stories.levee");
    config::WorkloadConfig config;
    config.batch = 1;
    config.stop_token = "none";
    config.context = 100;
    config.prompt_tokens = 4'294'967'295U;
    CHECK_THROWS_WITH(prepare_workload(config, model, true),
                      Catch::Contains("each sequence has 4294967295 tokens"));
    config.prompt_tokens = 10;
    config.sequences = 4'000'000'000U;
    CHECK_THROWS_WITH(
        prepare_workload(config, model, true),
        Catch::Contains("4000000000 sequences of 10 tokens are more than a run holds"));
}
