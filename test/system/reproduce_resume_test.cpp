// SPDX-License-Identifier: Apache-2.0
// Tests that `levee reproduce` resumes after an interruption, and repeats runs whose inputs have
// changed.
#include "test/system/paper.hpp"

using levee::test::Outcome;
using levee::test::Paper;
using levee::test::quote;

TEST_CASE("a reproduction that was stopped continues, and gives the same results")
{
    const Paper paper;
    const Outcome first = paper.reproduce();
    REQUIRE(first.code == 0);
    const std::string comparison = paper.place.read("out/comparison.csv");
    CHECK_THAT(first.text, !Catch::Contains("done already"));

    // One run was active when the process was killed, so its results may be incomplete.
    std::filesystem::remove(paper.place.path("out/runs/other/done"));
    paper.place.write("out/runs/other/results.json", "{}");
    const Outcome second = paper.reproduce();
    CHECK(second.code == 0);
    CHECK_THAT(second.text, Catch::Contains("3 of 4 runs are done already"));
    CHECK(paper.place.read("out/comparison.csv") == comparison);
    CHECK_THAT(paper.reproduce().text, Catch::Contains("4 of 4 runs are done already"));
    CHECK_THAT(paper.reproduce({"--no-resume"}).text, !Catch::Contains("done already"));
}

TEST_CASE("a run is repeated if its results or its scenario have changed")
{
    const Paper paper;
    REQUIRE(paper.reproduce().code == 0);
    std::string results = paper.place.read("out/runs/other/results.json");
    paper.place.write("out/runs/other/results.json", results + " ");
    CHECK_THAT(paper.reproduce().text, Catch::Contains("3 of 4 runs are done already"));
    std::string runs = levee::test::reproduced_runs;
    runs.replace(runs.find("2GHz"), 4, "3GHz");
    paper.place.write("paper/reproduce/a.yaml", runs);
    CHECK_THAT(paper.reproduce().text, Catch::Contains("3 of 4 runs are done already"));
}

TEST_CASE("two reproductions cannot write into one folder, and the error names the other process")
{
    const Paper paper;
    REQUIRE(paper.reproduce().code == 0);
    paper.place.write("out/lock", "process 7 on elsewhere");
    const Outcome refused =
        paper.place.shell("flock out/lock " + quote(LEVEE_PROGRAM) + " reproduce paper --out out");
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text, Catch::Contains("writes into this folder (process 7 on elsewhere)"));
}
