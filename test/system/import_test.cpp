// SPDX-License-Identifier: Apache-2.0
// Tests `levee import` from the command line.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

const std::vector<std::string> shape{"--dim",   "32", "--hidden", "48",  "--layers",  "1",
                                     "--heads", "2",  "--vocab",  "100", "--context", "64"};

std::vector<std::string> synthetic(std::vector<std::string> more)
{
    std::vector<std::string> arguments{"import", "synthetic"};
    arguments.insert(arguments.end(), shape.begin(), shape.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

} // namespace

TEST_CASE("a synthetic model is created, and runs from token ids")
{
    const Workplace place;
    for (const char* family : {"llama", "opt"}) {
        const std::string image = std::string(family) + ".levee";
        CHECK(place.levee(synthetic({"--family", family, "-o", image})).code == 0);
        const Outcome run =
            place.levee({"run", "demo", "--quiet", "--set", "model.image=" + image, "--set",
                         "workload={app: generate, prompt_ids: [[1, 2, 3]], "
                         "max_new_tokens: 4}"});
        CHECK(run.code == 0);
        CHECK(place.results("out/demo")["tokens"][0].size() == 4);
    }
}

TEST_CASE("an impossible import is refused and leaves no image")
{
    const Workplace place;
    place.write("model.bin", "not a checkpoint");
    place.write("tokens.bin", "not a tokenizer");
    const Outcome model =
        place.levee({"import", "llama2c", "model.bin", "tokens.bin", "-o", "image.levee"});
    CHECK(model.code == 2);
    CHECK(model.text.starts_with("model.bin: "));
    const Outcome heads = place.levee(synthetic({"-o", "image.levee", "--heads", "3"}));
    CHECK(heads.code == 2);
    const Outcome type = place.levee(synthetic({"-o", "image.levee", "--weights", "int5"}));
    CHECK(type.code == 2);
    CHECK(type.text.find("'int5' is not known; did you mean 'int3' or 'int4' or 'int8'?") !=
          std::string::npos);
    CHECK_FALSE(std::filesystem::exists(place.path("image.levee")));
}

TEST_CASE("importing a checkpoint with the wrong tokenizer gives an error that names the tokenizer")
{
    const std::filesystem::path model =
        std::filesystem::path(LEVEE_SHARED_DATA) / "stories260K.bin";
    if (!std::filesystem::exists(model)) {
        WARN("skipped: there is no " << model);
        return;
    }
    const Workplace place;
    place.write("tokens.bin", std::string(100, '\x7f'));
    const Outcome outcome =
        place.levee({"import", "llama2c", model.string(), "tokens.bin", "-o", "image.levee"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("tokens.bin") != std::string::npos);
}

TEST_CASE("a file of the wrong kind is refused with its actual kind")
{
    const Workplace place;
    place.write("model.gguf", std::string("GGUF\3\0\0\0", 8) + std::string(1000, '\0'));
    place.write("tokens.bin", "");
    const Outcome gguf =
        place.levee({"import", "llama2c", "model.gguf", "tokens.bin", "-o", "image.levee"});
    CHECK(gguf.code == 2);
    CHECK(gguf.text ==
          "model.gguf: is a GGUF file (of llama.cpp); see `levee import gguf`, expected "
          "a llama2.c checkpoint\n");
    const Outcome image = place.levee({"run", "demo", "--set", "model.image=model.gguf"});
    CHECK(image.code == 2);
    CHECK_THAT(image.text, Catch::Contains("is a GGUF file (of llama.cpp); see `levee import "
                                           "gguf`, expected a model image"));
    place.write("model.safetensors",
                std::string("\x40\0\0\0\0\0\0\0{\"a\":", 13) + std::string(300, ' '));
    const Outcome tensors =
        place.levee({"import", "llama2c", "model.safetensors", "tokens.bin", "-o", "image.levee"});
    CHECK(tensors.code == 2);
    CHECK_THAT(tensors.text, Catch::Contains("model.safetensors: is a safetensors file; run `levee "
                                             "import safetensors` on its folder, expected a "
                                             "llama2.c checkpoint"));
}

TEST_CASE("the image is written to the file of -o, --out or --output")
{
    const Workplace place;
    for (const char* option : {"-o", "--out", "--output"}) {
        CHECK(place.levee(synthetic({option, std::string(option) + ".levee"})).code == 0);
        CHECK(std::filesystem::exists(place.path(std::string(option) + ".levee")));
    }
    CHECK(place.levee({"run", "hello", "--quiet", "-o", "here"}).code == 0);
    CHECK(std::filesystem::exists(place.path("here/results.json")));
}

TEST_CASE("the name of an image is printed without terminal control characters")
{
    const Workplace place;
    const Outcome made = place.levee(synthetic({"-o", "i.levee", "--name", "red \x1B[31m\nmodel"}));
    CHECK(made.code == 0);
    CHECK(made.text.starts_with("i.levee: "));
    CHECK(made.text.find("'red  [31m model': dim 32") != std::string::npos);
}

TEST_CASE("an import overwrites none of its input files")
{
    const Workplace place;
    std::filesystem::create_directory(place.path("m"));
    place.write("m/config.json",
                R"({"architectures": ["OPTForCausalLM"], "hidden_size": 32, "ffn_dim": 64,
        "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 40,
        "max_position_embeddings": 32})");
    const auto keeps = [&](const std::string& file, std::vector<std::string> arguments) {
        const std::string before = place.read(file);
        arguments.insert(arguments.end(), {"-o", file});
        const Outcome outcome = place.levee(arguments);
        CHECK(outcome.code == 2);
        CHECK(outcome.text == file + ": is an input file, expected another name for the output\n");
        CHECK(place.read(file) == before);
    };
    keeps("m/config.json", {"import", "config", "m"});
    CHECK(place.levee({"import", "config", "m", "-o", "m/shape.yaml"}).code == 0);
    // The output is the file of the shape itself.
    CHECK(place.levee({"import", "config", "m", "-o", "m/shape.yaml"}).code == 0);
    const std::filesystem::path data = LEVEE_SHARED_DATA;
    if (!std::filesystem::exists(data / "stories260K.bin")) {
        WARN("skipped: there is no " << (data / "stories260K.bin"));
        return;
    }
    for (const char* name : {"stories260K.bin", "tok512.bin"})
        std::filesystem::copy_file(data / name, place.path(name));
    keeps("tok512.bin", {"import", "llama2c", "stories260K.bin", "tok512.bin"});
    keeps("stories260K.bin", {"import", "llama2c", "stories260K.bin", "tok512.bin"});
}
