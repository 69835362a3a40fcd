// SPDX-License-Identifier: Apache-2.0
// What is made of a workload's texts.
#include "platform/input/workload/workload.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace levee;

namespace {

const std::filesystem::path embedded_model = LEVEE_EMBEDDED_MODEL;

/// A text that ships, of which 8 tokens are scored.
config::WorkloadConfig scored_text(std::uint32_t context)
{
    config::WorkloadConfig config;
    config.text_file = embedded_model / "held_out.txt";
    config.context = context;
    config.max_tokens = 8;
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
