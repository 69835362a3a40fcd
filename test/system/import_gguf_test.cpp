// SPDX-License-Identifier: Apache-2.0
// Tests `levee import gguf` from the command line, and runs of the imported models.
#include "test/system/program.hpp"
#include "test/unit/gguf/checkpoint.hpp"
#include "test/unit/gguf/stories.hpp"

using levee::test::Checkpoint;
using levee::test::Outcome;
using levee::test::Workplace;

namespace {

const std::filesystem::path shared_data = LEVEE_SHARED_DATA;

/// Returns the tokens that a run generates after a prompt, "prompts: [x]" or "prompt_ids: [[1]]".
std::vector<std::uint32_t> generated(const Workplace& place, const std::string& image,
                                     const std::string& prompt)
{
    const Outcome run = place.levee(
        {"run", "demo", "--quiet", "--set", "model.image=" + image, "--set",
         "workload={app: generate, " + prompt + ", max_new_tokens: 20}", "--out", image + ".out"});
    INFO(run.text);
    REQUIRE(run.code == 0);
    return place.results(image + ".out")["tokens"][0];
}

} // namespace

TEST_CASE("stories260K as GGUF gives the tokens of the llama2.c checkpoint")
{
    if (!std::filesystem::exists(shared_data / "stories260K.bin")) {
        WARN("skipped: no " << (shared_data / "stories260K.bin").string());
        return;
    }
    const Workplace place;
    CHECK(place
              .levee({"import", "llama2c", (shared_data / "stories260K.bin").string(),
                      (shared_data / "tok512.bin").string(), "-o", "l.levee"})
              .code == 0);
    const std::string prompt = "prompts: [Once upon a time]";
    const auto expected = generated(place, "l.levee", prompt);
    for (const auto type : {levee::test::f32, levee::test::f16, levee::test::q8_0}) {
        const std::string name = std::to_string(type);
        levee::test::stories_gguf(shared_data, type).write(place.path(name + ".gguf"));
        const Outcome import =
            place.levee({"import", "gguf", name + ".gguf", "-o", name + ".levee"});
        CHECK(import.code == 0);
        CHECK(import.text.find("'stories260K': dim 64, hidden 172, 5 layers, 8 heads (4 of K and "
                               "V), vocabulary 512, context 512, INT8 weights") !=
              std::string::npos);
        CHECK(generated(place, name + ".levee", prompt) == expected);
    }
}

TEST_CASE("a GGUF file of each family is imported and runs")
{
    const Workplace place;
    for (const char* family : {"llama", "qwen2", "opt"}) {
        Checkpoint checkpoint;
        checkpoint.family = family;
        checkpoint.kv_heads = checkpoint.opt() ? checkpoint.heads : 2;
        checkpoint.draw(11);
        checkpoint.gguf(levee::test::q8_0).write(place.path(std::string(family) + ".gguf"));
        const std::string image = std::string(family) + ".levee";
        const Outcome import =
            place.levee({"import", "gguf", std::string(family) + ".gguf", "-o", image});
        CHECK(import.code == 0);
        CHECK(import.text.find("the file has no tokenizer") != std::string::npos);
        const std::vector<std::uint32_t> prompt{3, 1, 4, 1, 5};
        const auto tokens = generated(place, image, "prompt_ids: [[3, 1, 4, 1, 5]]");
        REQUIRE(tokens.size() == 20);
        // The first token must be the most probable one by the checkpoint's computation in double
        // precision.
        const auto logits = checkpoint.logits(prompt).back();
        CHECK(tokens[0] == std::max_element(logits.begin(), logits.end()) - logits.begin());
    }
}

TEST_CASE("a GGUF file that cannot be imported is refused by name, and no image is written")
{
    const Workplace place;
    Checkpoint checkpoint;
    checkpoint.draw(1);
    levee::test::GgufWriter writer = checkpoint.gguf();
    writer.text("general.architecture", "mamba");
    writer.write(place.path("m.gguf"));
    const Outcome import = place.levee({"import", "gguf", "m.gguf", "-o", "m.levee"});
    CHECK(import.code == 2);
    CHECK_THAT(import.text, Catch::StartsWith("m.gguf: key general.architecture: 'mamba': not "
                                              "supported, expected llama, "));
    CHECK_THAT(import.text, Catch::EndsWith(" minicpm or opt\n"));
    CHECK(place.levee({"import", "gguf", "no.gguf", "-o", "m.levee"}).text ==
          "no.gguf: cannot be read: No such file or directory\n");
    CHECK(place.shell("ls").text == "m.gguf\n");
}
