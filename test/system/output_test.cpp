// SPDX-License-Identifier: Apache-2.0
// Tests runs whose standard output cannot be written, and runs of models for which no operations
// exist.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::quote;
using levee::test::Workplace;

TEST_CASE("a command whose output cannot be written says so and fails")
{
    const Workplace place;
    for (const char* const arguments :
         {"run hello", "describe hello", "--version", "--help", "run --help"}) {
        INFO(arguments);
        const Outcome outcome =
            place.shell(quote(LEVEE_PROGRAM) + " " + arguments + " > /dev/full");
        CHECK(outcome.code == 74);
        CHECK_THAT(outcome.text,
                   Catch::Contains("standard output could not be written completely"));
    }
    CHECK(place.shell(quote(LEVEE_PROGRAM) + " run hello --quiet > /dev/full").code == 0);
}

TEST_CASE("a trace holds the trace alone where standard output is closed")
{
    const Workplace place;
    (void)place.shell(quote(LEVEE_PROGRAM) + " run hello --out open --trace instr:open.txt");
    (void)place.shell(quote(LEVEE_PROGRAM) +
                      " run hello --out closed --trace instr:closed.txt >&-");
    CHECK_FALSE(place.read("open.txt").empty());
    CHECK(place.read("closed.txt") == place.read("open.txt"));
}

TEST_CASE("a model that no operations can be made of is named before the run")
{
    const Workplace place;
    const auto refused = [&](const std::string& change) {
        const Outcome outcome =
            place.levee({"run", "kelle/original_sram", "--out", "out", "--set", change, "--set",
                         "sampling=off", "--set", "system.memories.dram.allow_overcommit=true"});
        CHECK(outcome.code == 2);
        CHECK_FALSE(std::filesystem::exists(place.path("out/results.json")));
        return outcome.text;
    };
    CHECK_THAT(refused("model.shape.dim=1048576"),
               Catch::Contains("the model's dim is 1048576, and 'rsa' adds up at most 65536"));
    CHECK_THAT(refused("model.shape.hidden=65538"),
               Catch::Contains("the model's hidden is 65538, and 'rsa' adds up at most 65536"));
    CHECK_THAT(refused("model.shape.vocab=1048576"),
               Catch::Contains("the model's CLASSIFIER has 4294967296 bytes; expected fewer than"));
}
