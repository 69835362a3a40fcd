// SPDX-License-Identifier: Apache-2.0
// `levee sweep`: many runs, one table, and what a user is told when something is wrong.
#include "test/system/program.hpp"

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

Outcome sweep(const Workplace& place, const std::string& study)
{
    place.write("study.yaml", study);
    return place.levee({"sweep", "study.yaml", "--out", "swept", "--jobs", "2"});
}

} // namespace

TEST_CASE("every point runs with every seed, and the table says what its results say")
{
    const Workplace place;
    const Outcome outcome =
        sweep(place, axes + "checks:\n"
                            "  - microseconds(fast/short) < microseconds(slow/short)\n"
                            "  - instructions(fast/short) == instructions(slow/short)\n");
    REQUIRE(outcome.code == 0);
    CHECK(outcome.text.find("holds  microseconds(fast/short) <") != std::string::npos);
    const auto results = place.results("swept/runs/fast/short/seed2");
    CHECK(results["seed"] == 2);
    CHECK(results["scenario"]["system"]["core"]["clock"] == "2GHz");
    std::istringstream table(place.read("swept/table.csv"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(table, line);)
        lines.push_back(line);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "point,seed,microseconds,instructions,cpi");
    CHECK(lines[4].starts_with("fast/short,2,"));
    CHECK(std::stod(lines[4].substr(13)) ==
          Approx(1e6 * results["metrics"]["sim.seconds"].get<double>()));
    CHECK(place.read("swept/table.txt").find("fast/short") != std::string::npos);
}

TEST_CASE("a check that does not hold is shown and makes the sweep fail")
{
    const Workplace place;
    const Outcome outcome =
        sweep(place, axes + "checks: [microseconds(fast/short) > microseconds(slow/short)]\n");
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("FAILS  microseconds(fast/short) >") != std::string::npos);
    CHECK(outcome.text.find("a check of study does not hold") != std::string::npos);
    CHECK(std::filesystem::exists(place.path("swept/table.csv")));
}

TEST_CASE("a run that fails is named with its last words, and there is no table")
{
    const Workplace place;
    const Outcome outcome = sweep(place, "scenario: hello.yaml\n"
                                         "points:\n"
                                         "  good: []\n"
                                         "  bad: system.memories.ram.size=4 KiB\n"
                                         "columns: {time: sim.seconds}\n");
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("bad: the run ended with 2: ") != std::string::npos);
    CHECK(outcome.text.find("runs/bad/log.txt") != std::string::npos);
    CHECK(outcome.text.find("1 of 2 runs failed: no table") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(place.path("swept/table.csv")));
}

TEST_CASE("a study that cannot be used is refused at its place before anything runs")
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
              "study.yaml:1:11: no file 'helo.yaml'"},
             {"scenario: hello.yaml\n" + tail, "lacks 'axes' and 'points'"},
             {"scenario: hello.yaml\npoints: {a: [x]}\n" + tail,
              "study.yaml:2:14: 'points.a' has 'x'; expected KEY=VALUE"},
             {"scenario: hello.yaml\npoints: {a: [name.b=1]}\n" + tail, "--set name.b=1"},
             {head + "seeds: [1, 1]\n" + tail,
              "study.yaml:3:12: 'seeds' is no list of different numbers"},
             {head + tail + "checks: [u(a) > 1]\n",
              "study.yaml:4:10: the check names no column of this study: 'u'"},
             {head + tail + "checks: [t(b) > 1]\n",
              "the check names no point of this study: 'b'"}}) {
        const Workplace place;
        INFO(study.text);
        const Outcome outcome = sweep(place, study.text);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(study.expected));
        CHECK_FALSE(std::filesystem::exists(place.path("swept")));
    }
}

TEST_CASE("a column no run has is refused with the nearest figure's name")
{
    const Workplace place;
    const Outcome outcome = sweep(place, "scenario: hello.yaml\npoints: {a: []}\n"
                                         "columns: {t: sim.second}\n");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("study.yaml:3:14: the results of a have no figure "
                                             "'sim.second'; did you mean 'sim.seconds'?"));
}
