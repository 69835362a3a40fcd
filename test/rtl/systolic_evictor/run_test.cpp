// SPDX-License-Identifier: Apache-2.0
// Runs `impl:` of the evictor in Kelle's demo, and `levee cosim`, as users run them.
#include "test/rtl/figures.hpp"

#include <fstream>
#include <iterator>

using namespace levee::test;

namespace {

const std::string impl = "system.blocks.evictor.impl=";

std::vector<std::string> demo(const std::string& how)
{
    return {"run", "kelle/demo", "--set", impl + how, "--set", "workload.max_new_tokens=140"};
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the RTL evictor, and in lockstep")
{
    CHECK(check_same_figures(demo, {"evictor"})["evictor.evicted"] > 0);
}

TEST_CASE("a prefill with partial tiles, in each kind of score, takes the same time with the RTL")
{
    const std::string story =
        "Once upon a time Ben, Eve, Ida, Leo and Tom lived in a quiet village by the sea. One "
        "morning the snow fell. Ben and Eve played a game in the wood.";
    for (const std::string score : {"softmax", "logit"}) {
        const auto run = [&](const std::string& how) {
            std::vector<std::string> arguments = demo(how);
            set(arguments, {"workload.max_new_tokens=3",
                            "workload.prompts=[\"" + story + "\", \"The water was cold.\"]",
                            "kv_cache.score=" + score});
            return arguments;
        };
        const nlohmann::json figures = check_same_figures(run, {"evictor"});
        // There are more scores than cycles, which shows that several rows add scores at the same
        // time.
        CHECK(figures["evictor.scores"] > 2 * figures["evictor.cycles"].get<double>());
    }
}

TEST_CASE("clocked in simulated time the demo gives the same text, takes longer, and writes waves")
{
    const Workplace place;
    std::vector<std::string> arguments = demo("rtl_cycle");
    arguments.insert(arguments.end(), {"--waves", "870us..880us", "--waves-format", "vcd"});
    const nlohmann::json tlm = results_of(place, "tlm", demo("tlm")),
                         cycle = results_of(place, "cycle", arguments);
    CHECK(tlm["text"] == cycle["text"]);
    const nlohmann::json& metrics = cycle["metrics"];
    CHECK(metrics["evictor.rtl_cycle.operations"] > 100);
    CHECK(metrics["evictor.rtl_cycle.cycles"] == metrics["evictor.rtl.cycles"]);
    // The timing rule excludes a tile's load before its first score, and its reads after its last
    // score.
    CHECK(metrics["evictor.rtl_cycle.late"] > 0);
    CHECK(metrics["evictor.rtl_cycle.most_late_cycles"] < 500);
    CHECK(metrics["sim.seconds"] >= tlm["metrics"]["sim.seconds"]);
    std::ifstream vcd(place.path("cycle/evictor.waves.vcd"));
    const std::string waves((std::istreambuf_iterator<char>(vcd)), {});
    for (const char* part : {"$timescale", "1ps", "expected_update_score_o", "transaction", "head"})
        CHECK(waves.find(part) != std::string::npos);
    const std::size_t first = waves.find("\n#");
    REQUIRE(first != std::string::npos);
    CHECK(std::stoull(waves.substr(first + 2)) >= 870'000'000);

    arguments = demo("rtl");
    arguments.insert(arguments.end(), {"--waves", "1ns..2ns", "--out", "early"});
    const Outcome early = place.levee(arguments);
    CHECK(early.code == 0);
    CHECK(early.text.find("evictor: no waves: its RTL was not clocked") != std::string::npos);
    CHECK(!std::filesystem::exists(place.path("early/evictor.waves.fst")));

    arguments = demo("rtl");
    arguments.insert(arguments.end(), {"--waves", "2ms"});
    const Outcome bad = place.levee(arguments);
    CHECK(bad.code == 2);
    CHECK(bad.text.find("'2ms' is not an interval of time") != std::string::npos);
}

TEST_CASE(
    "another design in lockstep: the message says where, when and what, and waves are written")
{
    Workplace place;
    std::vector<std::string> arguments = demo("lockstep");
    set(arguments, {"system.blocks.evictor.rtl=systolic_evictor_tree"});
    arguments.insert(arguments.end(), {"--out", "tree"});
    const Outcome outcome = place.levee(arguments);
    CHECK(outcome.code == 8);
    for (const char* part : {"evictor: the RTL differs", "ACCUMULATE", "tag ", "time ", "cycle ",
                             "signal ", "expected ", "got ", "row 0 of tile 0", "tree/evictor.fst"})
        CHECK(outcome.text.find(part) != std::string::npos);
    CHECK(std::filesystem::file_size(place.path("tree/evictor.fst")) > 0);
}

TEST_CASE("lockstep without any comparison fails")
{
    Workplace place;
    const Outcome outcome =
        place.levee({"run", "kelle/demo", "--app", "hello", "--set", impl + "lockstep", "--quiet"});
    CHECK(outcome.code == 8);
    CHECK(outcome.text.find("nothing was compared") != std::string::npos);
}

TEST_CASE("impl without RTL, and settings that the RTL does not support, are errors at the key")
{
    Workplace place;
    Outcome outcome =
        place.levee({"run", "kelle/demo", "--set", "system.blocks.sfu.impl=rtl", "--quiet"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find(
              "'system.blocks.sfu.impl' must be tlm: there is no RTL of blocks of type 'sfu'") !=
          std::string::npos);
    outcome = place.levee({"run", "kelle/demo", "--set", impl + "rtl", "--set",
                           "system.blocks.evictor.rows=16", "--quiet"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("tiles have 32 rows") != std::string::npos);
    CHECK(place.levee({"run", "selftest", "--set", "system.blocks.sfu.impl=tlm", "--quiet"}).code ==
          0);
}

TEST_CASE(
    "levee cosim reports comparisons and coverage, and a failure names the command that repeats it")
{
    Workplace place;
    Outcome outcome = place.levee({"cosim", "systolic_evictor", "--ops", "1500"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("covered: 51 of 51") != std::string::npos);
    CHECK(outcome.text.find("equal, in values and cycles") != std::string::npos);

    outcome = place.levee({"cosim", "systolic_evictor", "--ops", "2"});
    CHECK(outcome.code == 9);
    CHECK(outcome.text.find("NEVER") != std::string::npos);

    outcome = place.levee({"cosim", "systolic_evictor_tree", "--seed", "5", "--waves"});
    CHECK(outcome.code == 8);
    CHECK(outcome.text.find("to repeat: ./levee cosim systolic_evictor_tree --seed 5 --ops ") !=
          std::string::npos);
    CHECK(outcome.text.find("only the clock cycles of") != std::string::npos);
    CHECK(std::filesystem::file_size(place.path("out/cosim/systolic_evictor_tree.fst")) > 0);
    CHECK(place.levee({"cosim", "systolic_evictor_tree", "--values-only"}).code == 0);

    outcome = place.levee({"cosim", "systolic_evictr"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("did you mean 'systolic_evictor'") != std::string::npos);
}
