// SPDX-License-Identifier: Apache-2.0
// Tests how `levee reproduce` shows published and simulated figures, and reports errors.
#include "test/system/paper.hpp"

#include <sstream>

using levee::test::Outcome;
using levee::test::Paper;
using levee::test::reproducible;
using levee::test::Workplace;

TEST_CASE("every published row is shown next to the figures of its runs")
{
    const Paper paper;
    const Outcome outcome = paper.reproduce();
    REQUIRE(outcome.code == 0);
    const auto metric = [&](const std::string& run, const std::string& name) {
        return paper.place.results("out/" + run)["metrics"][name].get<double>();
    };
    const double slow = metric("runs/hello/slow", "sim.seconds");
    const double fast = metric("runs/hello/fast", "sim.seconds");
    CHECK(metric("runs/hello/slow", "core.instructions") > 0);
    CHECK(paper
              .lines("comparison.csv", "id,section,quantity,configuration,published,simulated,"
                                       "ratio,unit,kind,note")
              .size() == 1);
    const auto first = paper.lines("comparison.csv", "T01,1,speedup,\"fast, slow\",>2,");
    REQUIRE(first.size() == 1);
    CHECK(std::stod(first[0].substr(30)) == Approx(slow / fast));
    CHECK_THAT(first[0], Catch::Contains(",x,ratio,\"one, two\""));
    CHECK(paper.lines("comparison.csv", "T02/1,1,two of them,,71,").size() == 1);
    CHECK(paper.lines("comparison.csv", "T02/2,1,two of them,,37,").size() == 1);
    const auto series = paper.lines("comparison.csv", "T03,");
    REQUIRE(series.size() == 1);
    CHECK_THAT(series[0], Catch::Contains(",trend,n,T02,") && Catch::Contains(",1,,"));
    CHECK(paper.lines("comparison.csv", "T05,2,unknown,,4,,,x,not derivable,nobody knows").size() ==
          1);
    CHECK(paper.lines("comparison.csv", "own,,q,,4,").size() == 1);
    CHECK(paper.lines("comparison.csv", "T04").empty());
}

TEST_CASE("variants and plots are shown next to the comparison")
{
    const Paper paper;
    const Outcome outcome = paper.reproduce();
    REQUIRE(outcome.code == 0);
    const auto metric = [&](const std::string& run, const std::string& name) {
        return paper.place.results("out/" + run)["metrics"][name].get<double>();
    };
    const auto other = paper.lines("variants.csv", "T02/2,37,");
    REQUIRE(other.size() == 1);
    const double quick = metric("variants/faster/other", "sim.seconds");
    CHECK(quick < metric("runs/other", "sim.seconds"));
    const auto columns = paper.lines("variants.csv", "id,published,default,faster,counted");
    CHECK(columns.size() == 1);
    const std::string last = other[0].substr(other[0].rfind(',') + 1);
    CHECK(std::stod(last) == metric("runs/other", "core.cycles"));
    CHECK_FALSE(std::filesystem::exists(paper.place.path("out/variants/faster/hello")));

    const auto plot = paper.lines("plots/figure_1.csv", "slow,");
    REQUIRE(plot.size() == 1);
    CHECK(std::stod(plot[0].substr(5)) == Approx(1e6 * metric("runs/hello/slow", "sim.seconds")));
    CHECK_THAT(paper.place.read("out/table.md"),
               Catch::Contains("| T01 | speedup: fast, slow | >2 |"));
    CHECK_THAT(outcome.text, Catch::Contains("T05") && Catch::Contains("out/comparison.csv"));
}

TEST_CASE("runs with equal resolved scenarios run once, however their settings are written")
{
    const Paper paper("variants:\n  again: {set: [system.core.clock=3GHz, system.core.clock=1GHz], "
                      "runs: [hello/fast]}\n" +
                      levee::test::reproduced_rows);
    REQUIRE(paper.reproduce().code == 0);
    CHECK(std::filesystem::exists(paper.place.path("out/runs/hello/slow/results.json")));
    CHECK_FALSE(std::filesystem::exists(paper.place.path("out/variants/again")));
    const auto rows = paper.lines("variants.csv", "T01,");
    REQUIRE(rows.size() == 1);
    CHECK_THAT(rows[0], Catch::EndsWith(",1")); // This is the slow run divided by itself.
}

TEST_CASE("runs give the same results alone and after others whose DRAM prices they look up")
{
    const std::string dram_runs = "runs:\n"
                                  "  one: {scenario: kelle/demo.yaml}\n"
                                  "  two: {scenario: kelle/demo.yaml, set: seed=2}\n"
                                  "rows:\n"
                                  "  T03: {value: seconds(one), kind: value, note: n}\n"
                                  "  T05: {value: seconds(two), kind: value, note: n}\n";
    const Paper paper(dram_runs);
    REQUIRE(paper.reproduce({"--jobs", "1"}).code == 0);
    REQUIRE(paper.place.levee({"run", "kelle/demo", "--set", "seed=2", "--out", "alone"}).code ==
            0);
    CHECK(reproducible(paper.place.results("out/runs/two")) ==
          reproducible(paper.place.results("alone")));
}

TEST_CASE("only requested rows are run, plus the first row of their series")
{
    const Paper paper;
    CHECK(paper.reproduce({"--only", "T01"}).code == 0);
    CHECK(paper.lines("comparison.csv", "T0").size() == 1);
    CHECK(std::filesystem::exists(paper.place.path("out/runs/hello/slow/results.json")));
    CHECK_FALSE(std::filesystem::exists(paper.place.path("out/runs/other")));
    CHECK_FALSE(std::filesystem::exists(paper.place.path("out/plots/figure_1.csv")));
    CHECK(paper.reproduce({"--only", "T03"}).code == 0);
    CHECK(paper.lines("comparison.csv", "T0").size() == 3);
    CHECK(paper.reproduce({"--only", "figure_1"}).code == 0);
    CHECK(paper.lines("comparison.csv", "T0").empty());
    CHECK(paper.lines("plots/figure_1.csv", "fast,").size() == 1);
}

TEST_CASE("a row that does not exist, and a row without runs, are refused with the nearest name")
{
    const Paper paper;
    const Outcome unknown = paper.reproduce({"--only", "figure_2"});
    CHECK(unknown.code == 2);
    CHECK_THAT(unknown.text,
               Catch::Contains("--only: no row or plot 'figure_2'; did you mean 'figure_1'?"));
    const Outcome untouched = paper.reproduce({"--only", "T04"});
    CHECK(untouched.code == 2);
    CHECK_THAT(untouched.text, Catch::Contains("--only: the row 'T04' has no simulated number"));
    CHECK_FALSE(std::filesystem::exists(paper.place.path("out")));
    const Outcome paperless = paper.place.levee({"reproduce", "kele"});
    CHECK(paperless.code == 2);
    CHECK_THAT(paperless.text, Catch::Contains("no paper 'kele'; did you mean 'kelle'?"));
}

TEST_CASE("a failed run is named, and the other rows are kept")
{
    const Paper paper("runs:\n  bad: {scenario: hello.yaml, set: system.memories.ram.size=4 KiB}\n"
                      "rows:\n"
                      "  T01: {value: seconds(hello/slow), kind: value, note: n}\n"
                      "  T03: {value: seconds(bad), kind: value, note: n}\n");
    const Outcome outcome = paper.reproduce();
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text, Catch::Contains("bad: the run ended with exit code 2: ") &&
                                 Catch::Contains("runs/bad/log.txt") &&
                                 Catch::Contains("T03: no simulated number: the run bad failed"));
    CHECK(paper.lines("comparison.csv", "T03,2,series,,10,,,x,value,").size() == 1);
    CHECK(paper.lines("comparison.csv", "T01,1,speedup,\"fast, slow\",>2,").size() == 1);
    CHECK(paper.lines("comparison.csv", "T01,1,speedup,\"fast, slow\",>2,,").empty());
}

TEST_CASE("a number outside its expected bounds makes the reproduction fail")
{
    const std::string row = "rows:\n  T03: {value: 9 * instructions(hello/slow) / "
                            "instructions(hello/slow), kind: value, note: n, ";
    const Paper inside(row + "expect: [8, 9], expect_ratio: [0.85, 1]}\n");
    CHECK(inside.reproduce().code == 0);
    CHECK_THAT(inside.lines("comparison.csv", "T03")[0],
               Catch::EndsWith(",simulated 8 to 9; ratio 0.85 to 1,holds,stated"));
    const Paper outside(row + "expect_ratio: [0.95, 1.05]}\n");
    const Outcome outcome = outside.reproduce();
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text,
               Catch::Contains("T03: outside the expected range: ratio 0.95 to 1.05"));
}

TEST_CASE("a series is judged by its ratio to its first row")
{
    // T03 publishes 10 and T05 publishes 4, a ratio of 0.4. Both runs have the same instructions, a
    // ratio of 1, which is 2.5 times that.
    const auto series = [](const std::string& bounds) {
        return "rows:\n"
               "  T03: {value: instructions(other), kind: value, note: n}\n"
               "  T05: {value: instructions(other), kind: trend, relative_to: T03, note: n, "
               "expect_relative: " +
               bounds + "}\n";
    };
    const Paper inside(series("[2.4, 2.6]"));
    CHECK(inside.reproduce({"--only", "T05"}).code == 0);
    REQUIRE(inside.lines("comparison.csv", "T05").size() == 1);
    CHECK_THAT(inside.lines("comparison.csv", "T05")[0],
               Catch::EndsWith(",T03,0.4,1,ratio to that of T03 2.4 to 2.6,holds,stated"));
    const Paper outside(series("[0.9, 1.1]"));
    const Outcome outcome = outside.reproduce({"--only", "T05"});
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text,
               Catch::Contains("T05: outside the expected range: ratio to that of T03 0.9 to 1.1"));
}

TEST_CASE("an expectation for a missing number fails")
{
    const Paper paper("rows:\n"
                      "  T04: {kind: not derivable, note: n}\n"
                      "  T03: {value: seconds(other), kind: trend, relative_to: T04, "
                      "expect_relative: [0, 1000], note: n}\n");
    const Outcome outcome = paper.reproduce();
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text,
               Catch::Contains("T03: outside the expected range: ratio to that of T04"));
}

TEST_CASE("published numbers without their heading are refused")
{
    const Paper paper;
    paper.place.write("paper/published.csv", "T01,P,1,speedup,,2,x\n");
    const Outcome outcome = paper.reproduce();
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("published.csv:1:1: the first line is 'T01") &&
                                 Catch::Contains("expected 'id,paper,section,"));
}

TEST_CASE("without variants no variant is run")
{
    const Paper paper;
    REQUIRE(paper.reproduce({"--no-variants"}).code == 0);
    CHECK_FALSE(std::filesystem::exists(paper.place.path("out/variants")));
    REQUIRE(paper.reproduce().code == 0);
    CHECK(std::filesystem::exists(paper.place.path("out/variants/faster")));
}

namespace {

struct Case {
    std::string rows, expected;
};

const std::vector<Case> bad_rows{
    {"rows: {T01: {value: sec(other), kind: value, note: n}}",
     "b.yaml:1:8: there is no figure 'sec'"},
    {"rows: {T01: {value: seconds(othr), kind: value, note: n}}",
     "there is no run 'othr'; did you mean 'other'?"},
    {"rows: {T09: {value: seconds(other), kind: value, note: n}}",
     "there is no published row 'T09'"},
    {"rows: {T02: {value: [seconds(other), seconds(other), seconds(other)], kind: "
     "value, note: n}}",
     "'T02' has 3 expressions; expected one for each of the 2 published numbers"},
    {"rows: {T01: {value: seconds(other), kind: fact, note: n}}", "kind"},
    {"rows: {T01: {value: [], kind: value, note: n}}", "an empty list"},
    {"plots: {../p: {values: {v: seconds(other)}}}", "expected no '/'"},
    {"rows: {T01: {value: seconds(other), kind: value}}", "lacks the key"},
    {"rows: {T01: {value: 'seconds({x})', kind: value, note: n}}",
     "'{x})' is not defined; expected"},
    {"rows: {T01: {value: seconds(other) /, kind: value, note: n}}",
     "has its end where a number or column(point) is expected"},
    {"rows: {T01: {value: seconds(other), expect: [2, 1], kind: value, note: n}}",
     "is not a pair of numbers"},
    {"rows: {T01: {value: seconds(other), expect_relative: [1, 2], kind: value, note: "
     "n}}",
     "'expect_relative' without 'relative_to'"},
    {"runs: {hello: {scenario: hello.yaml}}", "b.yaml:1:8: 'runs.hello' was defined before"},
    {"plots: {p: {over: {size: all}, values: {v: seconds(other)}}}", "there is no axis 'size'"},
    {"variants: {v: {with: [fast]}}", "there is no variant before this one 'fast'"},
    {"variants: {v: {runs: [\"x*\"], set: seed=1}}", "there is no group of runs 'x*'"},
    {"errors: {e: {rows: [T07]}}", "there is no row 'T07'"},
    {"rows: {T01: {value: seconds(other), kind: value, follows: reading, note: n}}",
     "'rows.T01.follows' is 'reading'"},
    {"rows: {T01: {value: seconds(other), kind: value, readings: [fast], note: n}}", "readings"},
    {"rows: {T01: {value: seconds(other), kind: value, under: fast, note: n}}",
     "there is no variant 'fast'"},
    {"rows: {T01: {value: (seconds(other), kind: value, note: n}}", "or ')' is expected"},
    {"rows: {T02: {value: [seconds(other), 1], expect: [[1, 2]], kind: value, note: n}}",
     "is not a list of pairs such as"},
    {"runs: {n: {scenario: hello.yaml, set: system.core.clok=1GHz}}\n"
     "rows: {T01: {value: seconds(n), kind: value, note: n}}",
     "did you mean 'clock'?"}};

} // namespace

TEST_CASE("an unusable plan is refused at its place before anything runs")
{
    for (const Case& bad : bad_rows) {
        const Paper paper(bad.rows + "\n");
        INFO(bad.rows);
        const Outcome outcome = paper.reproduce();
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(bad.expected));
        CHECK_FALSE(std::filesystem::exists(paper.place.path("out")));
    }
}

TEST_CASE("Kelle: refresh power and capacity follow from the stated parameters")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"reproduce", "kelle", "--no-variants", "--out", "out", "--only",
                     "refresh_45us", "refresh_2drp", "K003", "K137", "capacity_true_weights"});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.text, !Catch::Contains("FAILS"));
    std::istringstream text(place.read("out/comparison.csv"));
    std::size_t held = 0;
    for (std::string line; std::getline(text, line);)
        held += line.ends_with(",holds,not compared") ? 1 : 0;
    CHECK(held == 3);
}
