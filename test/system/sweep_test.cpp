// SPDX-License-Identifier: Apache-2.0
// Tests `levee sweep`: many runs in one table, and messages about errors.
#include "test/system/program.hpp"

#include <algorithm>
#include <sstream>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

const std::string axes = R"(scenario: hello.yaml
axes:
  clock:
    slow: system.core.clock=1GHz
    fast: [system.core.clock=2GHz]
  printed:
    short: []
seeds: [1, 2]
columns:
  microseconds: {metric: sim.seconds, scale: 1e6, digits: 3}
  instructions: core.instructions
  cpi: {metric: core.cycles, over: core.instructions}
)";

Outcome sweep(const Workplace& place, const std::string& study,
              const std::vector<std::string>& options = {})
{
    place.write("study.yaml", study);
    std::vector<std::string> words{"sweep", "study.yaml", "--out", "swept", "--jobs", "2"};
    words.insert(words.end(), options.begin(), options.end());
    return place.levee(words);
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("a study's scenario may be a path or a shipped name, with or without .yaml")
{
    const Workplace place;
    place.write("mine.yaml", "extends: hello.yaml\n");
    const std::string command = GENERATE("sweep", "explore");
    for (const std::string scenario : {"hello", "hello.yaml", "mine", "mine.yaml", "kelle/demo"}) {
        place.write("study.yaml", "scenario: " + scenario +
                                      "\naxes: {c: {key: system.core.clock, values: [1 GHz, "
                                      "2 GHz]}}\ncolumns: {t: sim.seconds}\n"
                                      "objectives: {minimize: t}\nexplore: {points: 1}\n");
        const Outcome outcome = place.levee({command, "study.yaml", "--out", "swept", "--dry-run"});
        CAPTURE(scenario, outcome.text);
        CHECK(outcome.code == 0);
    }
}

TEST_CASE("a study's name cannot choose a folder outside of out/")
{
    const Workplace place;
    const std::string absolute = place.path("absolute");
    const std::string name = GENERATE_COPY(as<std::string>{}, "../beside", absolute, "''", ".",
                                           "..", ".hidden", "\"a\\tb\"");
    place.write("study.yaml", axes + "name: " + name + "\n");
    const std::string command = GENERATE("sweep", "explore");
    const Outcome outcome = place.levee({command, "study.yaml"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("study.yaml:13:7: the study's name is") != std::string::npos);
    CHECK(outcome.text.find("--out DIR") != std::string::npos);
    const std::vector<std::filesystem::path> written(
        std::filesystem::directory_iterator(place.path("")), {});
    CHECK(written == std::vector{place.path("study.yaml")});
}

TEST_CASE("every point runs with every seed, and the table has the figures of the results")
{
    const Workplace place;
    const Outcome outcome =
        sweep(place,
              axes + "checks:\n"
                     "  - microseconds(fast/short) < microseconds(slow/short)\n"
                     "  - instructions(fast/short) == instructions(slow/short)\n",
              {"--keep"});
    REQUIRE(outcome.code == 0);
    CHECK(outcome.text.find("holds  microseconds(fast/short) <") != std::string::npos);
    const std::vector<std::string> lines = lines_of(place.read("swept/table.csv"));
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "point,clock,printed,seed,microseconds,instructions,cpi,folder,error");
    CHECK(lines[4].starts_with("fast/short,fast,short,2,"));
    const std::string folder = lines[4].substr(lines[4].find("runs/"), 20);
    const auto results = place.results("swept/" + folder);
    CHECK(results["seed"] == 2);
    CHECK(results["scenario"]["system"]["core"]["clock"] == "2GHz");
    CHECK(std::stod(lines[4].substr(24)) ==
          Approx(1e6 * results["metrics"]["sim.seconds"].get<double>()));
    CHECK(place.read("swept/table.txt").find("fast     short") != std::string::npos);
    CHECK(lines_of(place.read("swept/points.csv"))[0] ==
          "point,clock,printed,runs,microseconds,microseconds +-,instructions,instructions +-,cpi,"
          "cpi +-,error");
    CHECK(std::filesystem::exists(place.path("swept/" + folder + "/log.txt")));
}

TEST_CASE("a sweep does not replace a table that no sweep has written")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("swept"));
    place.write("swept/table.csv", "mine\n");
    const Outcome refused = sweep(place, axes);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text, Catch::Contains("table.csv' is not the table of a sweep"));
    CHECK(place.read("swept/table.csv") == "mine\n");
    std::filesystem::remove(place.path("swept/table.csv"));
    CHECK(sweep(place, axes).code == 0);
    CHECK(sweep(place, axes).code == 0); // its own table
}

TEST_CASE("a check that fails is shown and makes the sweep fail")
{
    const Workplace place;
    const Outcome outcome =
        sweep(place, axes + "checks: [microseconds(fast/short) > microseconds(slow/short)]\n");
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("FAILS  microseconds(fast/short) >") != std::string::npos);
    CHECK(outcome.text.find("a check of the study study fails") != std::string::npos);
    CHECK(std::filesystem::exists(place.path("swept/table.csv")));
}

TEST_CASE("an error of an override is reported in the study, or at --set if it was typed")
{
    const Workplace place;
    const auto said = [&](const std::string& study, const std::vector<std::string>& typed = {}) {
        place.write("study.yaml", "scenario: hello.yaml\ncolumns: [sim.seconds]\n" + study);
        std::vector<std::string> words{"sweep", "study.yaml", "--dry-run"};
        words.insert(words.end(), typed.begin(), typed.end());
        return place.levee(words).text;
    };
    using Catch::Contains;
    const std::string clock = "'system.core.clock' is '3'";
    CHECK_THAT(said("points:\n  fast: []\n  slow: [seed=3, system.core.clock=3]\n"),
               Contains("study.yaml:5:18: system.core.clock=3: " + clock));
    CHECK_THAT(said("set: system.core.clock=3\naxes: {seed: [1, 2]}\n"),
               Contains("study.yaml:3:6: system.core.clock=3: " + clock));
    CHECK_THAT(
        said("axes:\n  seed: [1, 2]\n  clock: {key: system.core.clock, values: [1 GHz, 3]}\n"),
        Contains("study.yaml:5:3: system.core.clock=3: " + clock));
    CHECK_THAT(said("axes: {clock: {low: system.core.clock=3, high: system.core.clock=1 GHz}}\n"),
               Contains("study.yaml:3:21: system.core.clock=3: " + clock));
    CHECK_THAT(said("points: {slow: [\"system.core={clock: 3}\"]}\n"),
               Contains("study.yaml:3:17: system.core={clock: 3}:1:9: " + clock));
    CHECK_THAT(said("points: {slow: [\"seed=[1\"]}\n"), Contains("study.yaml:3:17: seed=[1:"));
    const std::string typed = said("axes: {seed: [1, 2]}\n", {"--set", "system.core.clock=3"});
    CHECK_THAT(typed, Contains("--set system.core.clock=3: " + clock));
    CHECK(typed.find("study.yaml") == std::string::npos);
}

TEST_CASE("a point that fails has its error in the table and stops no other point")
{
    const Workplace place;
    const Outcome outcome =
        sweep(place, "scenario: hello.yaml\n"
                     "points:\n"
                     "  refused: system.core.clock=3\n"
                     "  failed: system.memories.ram.size=4 KiB\n"
                     "  good: []\n"
                     "  more: system.core.clock=2 GHz\n"
                     "  last: system.core.clock=3 GHz\n"
                     "columns: {time: sim.seconds, none: decode.seconds, bound: bound_by}\n");
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text,
               Catch::Contains("2 of 5 points failed; see the column 'error' of the table"));
    const std::vector<std::string> lines = lines_of(place.read("swept/table.csv"));
    REQUIRE(lines.size() == 6);
    CHECK(lines[0] == "point,seed,time,none,bound,error");
    CHECK(lines[1].starts_with("refused,,,,,"));
    CHECK_THAT(lines[1], Catch::Contains("'system.core.clock' is '3'"));
    CHECK(lines[2].starts_with("failed,,,,,"));
    CHECK_THAT(lines[2], Catch::Contains("is not in a memory"));
    CHECK(lines[3].starts_with("good,,"));
    CHECK(lines[5].ends_with(",,,"));
    CHECK(lines[3].ends_with(",,,")); // The row has no decode phase, no bottleneck and no error.
    const auto data = nlohmann::json::parse(place.read("swept/sweep.json"));
    CHECK(data["points"][0].contains("error"));
    CHECK(data["points"][2]["metrics"]["none"].is_null());
}

TEST_CASE("the bottleneck can be a column, with the name that --bounds prints")
{
    const Workplace place;
    const Outcome outcome =
        sweep(place, "scenario: kelle/kelle_edram.yaml\n"
                     "set: [sampling.steps=2, sampling.chunks=2, workload.max_new_tokens=64]\n"
                     "points: {wide: system.blocks.rsa.load_bytes_per_cycle=256, narrow: "
                     "system.blocks.rsa.load_bytes_per_cycle=8}\n"
                     "columns: [bound_by, bounds.decode.load, decode.tokens_per_s]\n"
                     "objectives: {maximize: decode.tokens_per_s}\n");
    REQUIRE(outcome.code == 0);
    const std::vector<std::string> lines = lines_of(place.read("swept/table.csv"));
    CHECK(lines[1].starts_with("wide,,dram,,"));
    CHECK(lines[2].starts_with("narrow,,rsa,array load: 8 of 64 GB/s,"));
    CHECK_THAT(outcome.text, Catch::Contains("1 of 2 points is best: most decode.tokens_per_s"));
}

TEST_CASE("an unusable study is refused at its place before anything runs")
{
    struct Case {
        std::string text, expected;
    };
    const std::string head = "scenario: hello.yaml\npoints: {a: []}\n";
    const std::string tail = "columns: {t: sim.seconds}\n";
    for (const Case& study : std::vector<Case>{
             {head + tail + "check: []\n",
              "study.yaml:4:1: unknown key 'check'; did you mean 'checks'?"},
             {head, "lacks the key 'columns'"},
             {"scenario: helo.yaml\npoints: {a: []}\n" + tail,
              "study.yaml:1:11: no scenario 'helo.yaml': there is no such file"},
             {"scenario: hello.yaml\n" + tail, "has neither 'axes' nor 'points'"},
             {"scenario: hello.yaml\npoints: {a: [x]}\n" + tail,
              "study.yaml:2:14: 'points.a' has 'x'; expected KEY=VALUE"},
             {"scenario: hello.yaml\npoints: {a: [name.b=1]}\n" + tail,
              "study.yaml:2:14: name.b=1: unknown key"},
             {head + "seeds: [1, 1]\n" + tail,
              "study.yaml:3:8: 'seeds' is neither a list of different numbers"},
             {head + "where: a == 1\n" + tail, "does not name an axis"},
             {"scenario: hello.yaml\naxes: {c: [1]}\nwhere: c > 1\n" + tail,
              "fulfils its conditions"},
             {head + tail + "objectives: {maximise: t}\n", "did you mean 'maximize'?"},
             {head + tail + "checks: [u(a) > 1]\n",
              "study.yaml:4:10: the check names a column that this study does not have: 'u'"},
             {head + tail + "checks: [t(b) > 1]\n",
              "the check names a point that this study does not have: 'b'"}}) {
        const Workplace place;
        INFO(study.text);
        const Outcome outcome = sweep(place, study.text);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(study.expected));
        CHECK_FALSE(std::filesystem::exists(place.path("swept")));
    }
}

TEST_CASE("named points run, and a message says that no point of the axes fulfils the conditions")
{
    const Workplace place;
    const std::string study = "scenario: hello.yaml\npoints: {mine: []}\n"
                              "axes: {system.core.clock: [1 GHz, 2 GHz]}\ncolumns: [sim.seconds]\n";
    const auto said = [&](const std::string& where, const std::vector<std::string>& options) {
        place.write("study.yaml", study + where);
        std::vector<std::string> words{"sweep", "study.yaml", "--out", "out"};
        words.insert(words.end(), options.begin(), options.end());
        const auto outcome = place.levee(words);
        CHECK(outcome.code == 0);
        return outcome.text.find("no point of the axes fulfils 'where'") != std::string::npos;
    };
    CHECK(said("where: system.core.clock > 5 GHz\n", {}));
    CHECK(said("where: system.core.clock > 5 GHz\n", {"--dry-run"}));
    CHECK(!said("where: system.core.clock > 1 GHz\n", {"--dry-run"}));
    CHECK(!said("", {"--dry-run"}));
}

TEST_CASE("a metric that no run can have is refused before the first run, with the nearest name")
{
    const Workplace place;
    const std::string head = "scenario: hello.yaml\npoints: {a: []}\n";
    Outcome outcome = sweep(place, head + "columns: {t: sim.second}\n");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("study.yaml:3:14: no run has a figure 'sim.second'; "
                                             "did you mean 'sim.seconds'?"));
    CHECK_FALSE(std::filesystem::exists(place.path("swept")));
    outcome = sweep(place, head + "objectives: {minimize: rom.reads}\n");
    CHECK(outcome.code == 2);
    // Only the program's own output names its figures.
    CHECK(sweep(place, head + "columns: {i: hello.instructions}\n").code == 0);
}

TEST_CASE("a --set changes every point, but not what the study varies")
{
    const Workplace place;
    const std::string study = "scenario: hello.yaml\n"
                              "axes: {system.core.clock: [1 GHz, 2 GHz]}\n"
                              "columns: {us: {metric: sim.seconds, scale: 1e6}}\n";
    REQUIRE(sweep(place, study).code == 0);
    const std::string before = place.read("swept/table.csv");
    REQUIRE(sweep(place, study, {"--set", "system.bus.latency=1 us"}).code == 0);
    CHECK(place.read("swept/table.csv") != before);
    const Outcome outcome = sweep(place, study, {"--set", "system.core.clock=3 GHz"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("the study itself sets 'system.core.clock'"));
}

TEST_CASE("a dry run names points whose component does not fit the rest of the scenario")
{
    const Workplace place;
    const std::string study =
        "scenario: questions/llama2_7b.yaml\n"
        "axes:\n"
        "  system.blocks.rsa.dataflow: [weight_stationary, output_stationary]\n"
        "  kv_cache.recompute: [free, all]\n"
        "columns: [sim.seconds]\n";
    const Outcome outcome = sweep(place, study, {"--dry-run"});
    INFO(outcome.text);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("does not support 'kv_cache.recompute: free'"));
    CHECK_THAT(outcome.text, Catch::Contains("4 points, 4 runs; 1 points cannot start"));
}

TEST_CASE("a dry run lists the points and checks their scenarios, and creates nothing")
{
    const Workplace place;
    const std::string study = "scenario: hello.yaml\n"
                              "axes: {system.core.clock: [1 GHz, 2 GHz, 2]}\n"
                              "columns: [sim.seconds]\n";
    const Outcome outcome = sweep(place, study, {"--dry-run"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("2 GHz  system.core.clock=2 GHz\n"));
    CHECK_THAT(outcome.text,
               Catch::Contains("cannot start: study.yaml:2:8: system.core.clock=2: "));
    CHECK_THAT(outcome.text, Catch::Contains("3 points, 3 runs; 1 points cannot start"));
    CHECK_FALSE(std::filesystem::exists(place.path("swept")));
}
