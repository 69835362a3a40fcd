// SPDX-License-Identifier: Apache-2.0
// Tests long or deeply nested inputs. If reading one took quadratic time, the run would reach its
// limit of processor time. The load from other programs does not count.
#include "test/system/program.hpp"

#include <functional>

using levee::test::Outcome;
using levee::test::quote;
using levee::test::Workplace;

namespace {

constexpr int many = 200'000;

std::string times(int count, const std::function<std::string(int)>& part)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += part(i);
    return text;
}

std::string times(int count, const std::string& part)
{
    return times(count, [&](int) { return part; });
}

std::string keys(const std::string& value)
{
    return times(many, [&](int i) { return "  k" + std::to_string(i) + ": " + value + "\n"; });
}

/// Runs the program with a limit of one minute of processor time, after which a signal ends it.
Outcome bounded(const Workplace& place, const std::string& arguments)
{
    return place.shell("ulimit -t 60; " + quote(LEVEE_PROGRAM) + " " + arguments);
}

} // namespace

TEST_CASE("a map of many keys is read in time in proportion to its length")
{
    const Workplace place;
    place.write("base.yaml", "workload:\n" + keys("1"));
    place.write("other.yaml", "extends: base.yaml\nworkload:\n" + keys("2"));
    place.write("unset.yaml", "extends: base.yaml\nworkload:\n" + keys("null"));
    place.write("empty.yaml", "workload:\n" + keys(""));
    place.write("nulls.yaml", "workload:\n  prompts:\n" + times(many, "    -\n"));
    for (const char* const file : {"base.yaml", "other.yaml", "empty.yaml"})
        CHECK_THAT(bounded(place, std::string("run ") + file).text,
                   Catch::Contains("unknown key 'workload.k0'"));
    CHECK_THAT(bounded(place, "run unset.yaml").text,
               Catch::Contains("'workload' lacks the key 'app'"));
    CHECK_THAT(bounded(place, "run nulls.yaml").text, Catch::Contains("nulls.yaml:"));
}

TEST_CASE("a study of many columns is read in time in proportion to its length")
{
    const Workplace place;
    place.write("study.yaml",
                "scenario: hello.yaml\naxes: {seed: [1]}\ncolumns:\n" +
                    times(many, [](int i) { return "  - c" + std::to_string(i) + "\n"; }));
    CHECK_THAT(bounded(place, "sweep study.yaml --dry-run").text,
               Catch::Contains("no run has a figure 'c0'"));
}

TEST_CASE("lists and maps in one another are refused where they are too deep")
{
    const Workplace place;
    for (const std::string& level : {std::string("["), std::string("{a: "), std::string("- ")}) {
        const std::string start = level == "- " ? "" : "a: ";
        place.write("deep.yaml", start + times(100'000, level));
        const Outcome outcome = place.levee({"run", "deep.yaml"});
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains("a list or map is nested in 64 others"));
    }
}

TEST_CASE("keys of very many names, and files that each name the next, are refused")
{
    const Workplace place;
    const std::string key = "a" + times(60'000, ".a") + "=1";
    place.write("study.yaml", "scenario: hello\nset: '" + key +
                                  "'\naxes: {system.core.clock: [1 GHz, 2 GHz]}\n"
                                  "columns: [sim.seconds]\n");
    for (const std::string& words :
         {std::string("sweep study.yaml --dry-run"), std::string("run hello --set $(cat key)")}) {
        place.write("key", key);
        const Outcome outcome = bounded(place, words);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains("has more than 64 names between dots"));
    }
    for (int i = 0; i < 20'000; ++i)
        place.write("c" + std::to_string(i) + ".yaml",
                    "extends: c" + std::to_string(i + 1) + ".yaml\n");
    const Outcome outcome = bounded(place, "run c0.yaml");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text,
               Catch::Contains("'c64.yaml': files name each other more than 64 levels"));
}

TEST_CASE("a recording of few bytes that unpack to very many is refused where it shows")
{
    const Workplace place;
    REQUIRE(place
                .shell("printf 'LEVEEDEC\\001\\000\\000\\000' > rec; "
                       "head -c 16M /dev/zero | gzip -9 > zeros; "
                       "for i in $(seq 64); do cat zeros; done > more; "
                       "for i in $(seq 64); do cat more; done >> rec")
                .code == 0); // The file unpacks to 64 GiB.
    const Outcome outcome = bounded(place, "calibrate-decisions rec");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("rec: is damaged or incomplete"));
}

TEST_CASE("more layers than any model has are refused before anything is made for each")
{
    const Workplace place;
    place.write("config.json",
                R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
                    "hidden_size": 32, "num_hidden_layers": 4000000000, "num_attention_heads": 2,
                    "vocab_size": 16, "max_position_embeddings": 64, "intermediate_size": 32})");
    const Outcome outcome = place.shell("ulimit -v 4000000; " + quote(LEVEE_PROGRAM) +
                                        " import config config.json -o x");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text,
               Catch::Contains("num_hidden_layers") && Catch::Contains("at most 4096"));
}

TEST_CASE("a condition of many operations is refused in words that can be read")
{
    const Workplace place;
    const auto said = [&](const std::string& where) {
        place.write("study.yaml", "scenario: hello.yaml\naxes: {seed: [1]}\ncolumns: [seed]\n"
                                  "where: '" +
                                      where + "'\n");
        const Outcome outcome = bounded(place, "sweep study.yaml --dry-run");
        CHECK(outcome.code == 2);
        CHECK(outcome.text.size() < 1000);
        return outcome.text;
    };
    const std::string too_many = "has more than 1000 operations";
    const std::string too_deep = "has more than 32 signs and parentheses around a value";
    CHECK_THAT(said("workload.app == hello and 1 < 1" + times(50'000, "+1")),
               Catch::Contains(too_many));
    CHECK_THAT(said("1 < 2" + times(50'000, " and 1 < 2")), Catch::Contains(too_many));
    CHECK_THAT(said("1 < " + times(50'000, "-") + "1"), Catch::Contains(too_deep));
    CHECK_THAT(said(times(50'000, "(") + "1" + times(50'000, ")") + " < 2"),
               Catch::Contains(too_deep));
    CHECK_THAT(said(times(50'000, "not ") + "seed"), Catch::Contains("study.yaml:4:8: "));
}

TEST_CASE("the header of a safetensors file is read in time in proportion to its length")
{
    const Workplace place;
    std::string header = "{";
    for (int i = 0; i < many; ++i)
        header += (i == 0 ? "" : ",") + ("\"t" + std::to_string(i)) +
                  R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + std::to_string(i) + "," +
                  std::to_string(i + 1) + "]}";
    header += "}";
    std::string length;
    for (int i = 0; i < 8; ++i)
        length += static_cast<char>(header.size() >> 8 * i & 0xFF);
    std::filesystem::create_directory(place.path("model"));
    place.write("model/model.safetensors", length + header + std::string(many, '\0'));
    place.write("model/config.json",
                R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
                    "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
                    "vocab_size": 16, "max_position_embeddings": 64, "intermediate_size": 32})");
    place.write("model/tokenizer.json", "{}");
    const Outcome outcome = bounded(place, "import safetensors model -o model.levee");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("model.embed_tokens.weight"));
}
