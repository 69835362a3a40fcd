// SPDX-License-Identifier: Apache-2.0
// Tests `levee explore`, in which an optimiser proposes points within a budget.
#include "test/system/program.hpp"

#include <algorithm>
#include <set>
#include <sstream>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

bool has_optimiser(const Workplace& place)
{
    const bool has = place.shell("/usr/bin/python3 -c 'import optuna'").code == 0;
    if (!has)
        WARN("skipped: /usr/bin/python3 has no Optuna (python3-optuna)");
    return has;
}

// A faster clock takes less time but more cycles, because the bus does not become faster.
const std::string space = R"(scenario: hello.yaml
axes:
  clock: {key: system.core.clock, from: 100 MHz, to: 1 GHz, steps: 10}
  bus: {key: system.bus.latency, values: [40 ns, 30 ns, 20 ns, 10 ns, 2 ns]}
  width: {key: system.bus.port_bandwidth, values: [4 GB/s, 8 GB/s, 16 GB/s]}
columns: {us: {metric: sim.seconds, scale: 1e6}, cycles: core.cycles}
objectives: {minimize: [us, cycles]}
)";

Outcome explore(const Workplace& place, const std::string& study,
                const std::vector<std::string>& options = {})
{
    place.write("study.yaml", study);
    std::vector<std::string> words{"explore", "study.yaml", "--out", "explored"};
    words.insert(words.end(), options.begin(), options.end());
    return place.levee(words);
}

/// Returns the explored points in sweep.json.
nlohmann::json points_in(const Workplace& place)
{
    return nlohmann::json::parse(place.read("explored/sweep.json"))["points"];
}

/// Returns the first column of points.csv, without its header.
std::vector<std::string> names_in(const std::string& points)
{
    std::istringstream stream(points);
    std::vector<std::string> names;
    std::string line;
    std::getline(stream, line);
    while (std::getline(stream, line))
        names.push_back(line.substr(0, line.find(',')));
    return names;
}

} // namespace

TEST_CASE("an exploration runs as many different points as its budget and finds the best one")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    const Outcome outcome = explore(
        place, space + "where: width != 8 GB/s\nexplore: {points: 40}\nchecks: [us(best) > 0]\n");
    REQUIRE(outcome.code == 0);
    CHECK(outcome.text.find("holds  us(best) > 0") != std::string::npos);
    const std::vector<std::string> names = names_in(place.read("explored/points.csv"));
    CHECK(names.size() == 40);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == 40);
    for (const std::string& name : names)
        CHECK(!name.ends_with("/8 GB/s"));
    place.write("grid.yaml", space);
    REQUIRE(place.levee({"sweep", "grid.yaml", "--out", "grid"}).code == 0);
    const auto best = [&](const std::string& folder) {
        double least = 1e30;
        const auto data = nlohmann::json::parse(place.read(folder + "/sweep.json"));
        for (const auto& point : data["points"])
            least = std::min(least, point["metrics"]["us"].get<double>());
        return least;
    };
    CHECK(best("explored") == best("grid"));
}

TEST_CASE("an exploration is the same for any number of jobs, and after an interruption")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    const std::string study = space + "explore: {points: 30, seed: 4, generation: 5}\n";
    REQUIRE(explore(place, study, {"--jobs", "1"}).code == 0);
    const std::string first = place.read("explored/sweep.json");
    const std::string journal = place.read("explored/points.journal");
    REQUIRE(explore(place, study, {"--jobs", "3", "--no-resume"}).code == 0);
    CHECK(place.read("explored/sweep.json") == first);
    // Acts as if the exploration had been killed in about its eleventh run: the journal is cut
    // within a line.
    place.write("explored/points.journal", journal.substr(0, journal.size() / 3));
    REQUIRE(explore(place, study).code == 0);
    CHECK(place.read("explored/sweep.json") == first);
    REQUIRE(explore(place, study, {"--seed", "5"}).code == 0);
    CHECK(place.read("explored/sweep.json") != first);
}

TEST_CASE("an exploration of the other kind that starts meanwhile is refused")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    const std::string shipped = LEVEE_SOURCE "/platform/studies/explore";
    const auto meanwhile = [&](const std::string& file, const std::vector<std::string>& options) {
        place.write("slow.py", "import os, runpy, sys\nos.makedirs('explored', exist_ok=True)\n"
                               "open('explored/" +
                                   file +
                                   "', 'w').close()\n"
                                   "sys.path.insert(0, '" +
                                   shipped +
                                   "')\n"
                                   "runpy.run_path('" +
                                   shipped + "/proposer.py', run_name='__main__')\n");
        std::vector<std::string> words{"--points", "8", "--optimiser", "slow.py"};
        words.insert(words.end(), options.begin(), options.end());
        const Outcome outcome = explore(place, space, words);
        CHECK(outcome.code == 2);
        std::filesystem::remove_all(place.path("explored"));
        return outcome.text;
    };
    CHECK_THAT(meanwhile("generations.log", {"--in-flight"}),
               Catch::Contains("has an exploration in generations, which cannot continue with "
                               "these options"));
    CHECK_THAT(meanwhile("trials.log", {}),
               Catch::Contains("--executor), which has no generations"));
}

TEST_CASE("a budget for all points covers the whole grid and needs no optimiser")
{
    const Workplace place;
    place.write("study.yaml", space);
    const Outcome outcome =
        place.shell("LEVEE_PYTHON=/nowhere " + levee::test::quote(LEVEE_PROGRAM) +
                    " explore study.yaml --points 150 --out explored");
    REQUIRE(outcome.code == 0);
    CHECK(names_in(place.read("explored/points.csv")).size() == 150);
}

TEST_CASE("the points that 'where' leaves count: a budget of that size covers all of them")
{
    const Workplace place;
    place.write("study.yaml", space + "where: width == 8 GB/s and bus != 2 ns\n");
    const std::string command = "LEVEE_PYTHON=/nowhere " + levee::test::quote(LEVEE_PROGRAM) +
                                " explore study.yaml --points 100 --out explored";
    const Outcome listed = place.shell(command + " --dry-run");
    CHECK(listed.code == 0);
    CHECK(listed.text.ends_with(
        "40 first points; the exploration runs up to 40 points of the axes\n"));
    const Outcome outcome = place.shell(command);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.text.find("no new point") == std::string::npos);
    CHECK(names_in(place.read("explored/points.csv")).size() == 40);
}

TEST_CASE("a space of unknown size with too few points reports how it was searched")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    const Outcome outcome = explore(place, R"(scenario: hello.yaml
axes: {bus: {key: system.bus.latency, from: 10 ns, to: 14 ns, multiple_of: 1 ns}}
objectives: {minimize: sim.seconds}
explore: {points: 20}
)");
    CHECK(outcome.code == 0);
    CHECK(
        outcome.text.find("no new point was found in 1000 draws: 5 of 20 points have been tried") !=
        std::string::npos);
    CHECK(names_in(place.read("explored/points.csv")).size() == 5);
}

TEST_CASE("a point of the axes cannot have the name of a named point")
{
    const Workplace place;
    const std::string study = "scenario: hello.yaml\n"
                              "axes: {system.core.clock: {from: 100 MHz, to: 1 GHz, steps: 10}}\n"
                              "objectives: {minimize: [sim.seconds, core.cycles]}\n";
    const Outcome refused = explore(place, study + "points: {200 MHz: []}\n", {"--points", "10"});
    CHECK(refused.code == 2);
    CHECK(refused.text.find("two points are called '200 MHz'") != std::string::npos);
    CHECK(!std::filesystem::exists(place.path("explored")));
    if (!has_optimiser(place))
        return;
    REQUIRE(explore(place, study, {"--points", "9"}).code == 0);
    const std::string late = names_in(place.read("explored/points.csv")).at(7);
    const Outcome stopped =
        explore(place, study + "points: {" + late + ": []}\n", {"--points", "9"});
    CHECK(stopped.code == 2);
    CHECK(stopped.text.find("two points are called '" + late + "'") != std::string::npos);
    CHECK(stopped.text.find("the same command continues it") == std::string::npos);
}

TEST_CASE("an exploration accepts ranges without steps, words, coupled axes and dependent axes")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    const Outcome outcome = explore(place, R"(scenario: hello.yaml
axes:
  clock: {key: system.core.clock, from: 100 MHz, to: 1 GHz, scale: log}
  mode: {plain: system.core.quantum=100, watched: system.core.quantum=1000}
  bus: {key: system.bus.latency, values: [40 ns, 20 ns, 2 ns]}
  width: {key: system.bus.port_bandwidth, values: [4 GB/s, 8 GB/s, 16 GB/s]}
  depth: {key: system.memories.ram.latency, values: [1 ns, 2 ns, 3 ns], only_if: mode == watched}
zip: [[bus, width]]
columns: {us: {metric: sim.seconds, scale: 1e6}, cycles: core.cycles}
objectives: {minimize: [us, cycles]}
explore: {points: 30}
seeds: 2
)");
    REQUIRE(outcome.code == 0);
    std::set<double> clocks;
    std::set<std::string> depths, pairs;
    for (const auto& point : points_in(place)) {
        const auto& at = point["axes"];
        clocks.insert(at["clock"]["value"].get<double>());
        pairs.insert(at["bus"]["label"].get<std::string>() + " " +
                     at["width"]["label"].get<std::string>());
        const bool watched = at["mode"]["label"] == "watched";
        CHECK(at["depth"].is_null() != watched);
        if (watched)
            depths.insert(at["depth"]["label"].get<std::string>());
    }
    CHECK(clocks.size() > 15); // The range has no steps, so few values occur twice.
    CHECK(*clocks.begin() >= 100e6);
    CHECK(*clocks.rbegin() <= 1e9);
    CHECK(depths == std::set<std::string>{"1 ns", "2 ns", "3 ns"});
    CHECK(pairs == std::set<std::string>{"2 ns 16 GB/s", "20 ns 8 GB/s", "40 ns 4 GB/s"});
}

TEST_CASE("the example on the page is a valid study for a sweep and for an exploration")
{
    const Workplace place;
    std::ifstream page(std::string(LEVEE_SOURCE) + "/docs/sweeps.md");
    std::string text{std::istreambuf_iterator<char>(page), {}};
    text.erase(0, text.find("# machine.yaml: "));
    place.write("machine.yaml", text.substr(0, text.find("```")));
    const Outcome swept = place.levee({"sweep", "machine.yaml", "--dry-run"});
    CHECK(swept.code == 0);
    CHECK(swept.text.find("cannot start") == std::string::npos);
    CHECK(swept.text.find("400 points") != std::string::npos);
    CHECK(text.starts_with("# machine.yaml: 400 machines"));
    if (!has_optimiser(place))
        return;
    const Outcome explored = place.levee({"explore", "machine.yaml", "--dry-run"});
    CHECK(explored.code == 0);
    CHECK(explored.text.ends_with(
        "20 first points; the exploration runs up to 100 points of the axes\n"));
}

TEST_CASE("a larger budget runs only new points, and Ctrl-C does not reach the optimiser")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    REQUIRE(explore(place, space, {"--points", "10"}).code == 0);
    const auto records = [&] {
        const std::string journal = place.read("explored/points.journal");
        return std::count(journal.begin(), journal.end(), '\n');
    };
    CHECK(records() == 10);
    place.write("interrupted", "#!/bin/sh\nkill -INT $$\nexec /usr/bin/python3 \"$@\"\n");
    const Outcome outcome = place.shell("chmod +x interrupted; LEVEE_PYTHON=./interrupted " +
                                        levee::test::quote(LEVEE_PROGRAM) +
                                        " explore study.yaml --points 20 --out explored");
    REQUIRE(outcome.code == 0);
    CHECK(records() == 20);
}

TEST_CASE("unusable points are reported, and the other points are still found")
{
    const Workplace place;
    if (!has_optimiser(place))
        return;
    const std::string study = R"(scenario: hello.yaml
points: {mine: system.core.clock=1GHz}
axes:
  clock: {key: system.core.clock, from: 100 MHz, to: 1 GHz, steps: 10}
  width: {key: system.bus.port_bandwidth, values: [4 GB/s, 8 GB/s, 0 GB/s, 16 GB/s]}
columns: {us: {metric: sim.seconds, scale: 1e6}}
objectives: {minimize: us}
explore: {points: 25}
checks: [us(best) <= us(mine)]
)";
    const Outcome outcome = explore(place, study);
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("points failed; see the column 'error' of the table") !=
          std::string::npos);
    CHECK(outcome.text.find("holds  us(best) <= us(mine)") != std::string::npos);
    const std::string points = place.read("explored/points.csv");
    CHECK(names_in(points).size() == 26);
    CHECK(points.find("system.bus.port_bandwidth' is 0 GB/s") != std::string::npos);
}

TEST_CASE("the error about axes without a valid point appears even with named points")
{
    const Workplace place;
    const std::string head = "points: {mine: system.core.clock=1GHz}\nexplore: {points: 150}\n";
    for (const char* option : {"--dry-run", "--quiet"}) {
        const Outcome none = explore(place, space + head + "where: clock > 5 GHz\n", {option});
        CHECK(none.code == 2);
        CHECK(none.text.find("no point of the axes fulfils") != std::string::npos);
        std::string wrong = space + head;
        wrong.replace(wrong.find("core.clock"), std::string("core.clock").size(), "core.clok");
        const Outcome refused = explore(place, wrong, {option});
        CHECK(refused.code == 2);
        CHECK(refused.text.find("unknown key 'system.core.clok'") != std::string::npos);
    }
    CHECK(!std::filesystem::exists(place.path("explored")));
}

TEST_CASE("studies that an exploration cannot use are refused before anything runs")
{
    const Workplace place;
    const auto refused = [&](const std::string& study,
                             const std::vector<std::string>& options = {}) {
        const Outcome outcome = explore(place, study, options);
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    using Catch::Contains;
    CHECK_THAT(refused(space), Contains("study.yaml") && Contains("the study lacks 'explore'"));
    CHECK_THAT(refused("scenario: hello.yaml\naxes: {system.core.clock: [1GHz, 2GHz]}\n"
                       "columns: [sim.seconds]\n",
                       {"--points", "1"}),
               Contains("lacks 'objectives'"));
    for (const char* const none : {"{}", "[]", "[{}]", "{minimize: []}"})
        CHECK_THAT(refused("scenario: hello.yaml\naxes: {system.core.clock: [1GHz, 2GHz]}\n"
                           "columns: [sim.seconds]\nexplore: {points: 1}\nobjectives: " +
                           std::string(none) + "\n"),
                   Contains("'objectives' is empty; expected columns to maximize"));
    CHECK_THAT(refused(space + "sample: {random: 10}\nexplore: {points: 5}\n"),
               Contains("has a 'sample'"));
    CHECK_THAT(refused(space + "explore: {points: 0}\n"), Contains("'explore.points' is 0"));
    CHECK_THAT(refused(space + "explore: {points: 5}\nchecks: [cycles(100MHz/2 ns/4 GB/s) > 1]\n"),
               Contains("names a point that this study does not have"));
    CHECK_THAT(refused(space + "explore: {points: 5}\n", {"--set", "system.core.clock=1GHz"}),
               Contains("the study itself sets 'system.core.clock'"));
    for (const std::vector<std::string>& in_flight : {std::vector<std::string>{"--in-flight"},
                                                      {"--shard", "1/2"},
                                                      {"--executor", "true {shard} {shards}"}}) {
        std::vector<std::string> options{"--generation", "3"};
        options.insert(options.end(), in_flight.begin(), in_flight.end());
        CHECK_THAT(refused(space + "explore: {points: 5}\n", options),
                   Contains("--generation cannot be used with " + in_flight[0]));
    }
    CHECK_THAT(refused(space + "explore: {points: 5}\n", {"--shard", "3/2"}),
               Contains("'3/2' is not a part of 'levee explore'; expected I/N"));
    const auto without = place.shell("LEVEE_PYTHON=/nowhere " + levee::test::quote(LEVEE_PROGRAM) +
                                     " explore study.yaml");
    CHECK(without.code == 2);
    CHECK_THAT(without.text, Contains("set LEVEE_PYTHON to"));
    CHECK(!std::filesystem::exists(place.path("explored")));
}
