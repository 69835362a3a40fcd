// SPDX-License-Identifier: Apache-2.0
// `impl:` of the evictor in Kelle's demo, and `levee cosim`, as users run them.
#include "test/system/program.hpp"

#include <fstream>
#include <iterator>

using namespace levee::test;

namespace {

const std::string impl = "system.blocks.evictor.impl=";

std::vector<std::string> demo(const std::string& how, const std::string& folder)
{
    return {"run",   "kelle/demo", "--set",  impl + how, "--set", "workload.max_new_tokens=140",
            "--out", folder,       "--quiet"};
}

nlohmann::json without(nlohmann::json results, const std::string& key)
{
    results["metrics"].erase(key);
    return results;
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the RTL evictor, and in lockstep")
{
    Workplace place;
    for (const char* how : {"tlm", "rtl", "lockstep"})
        REQUIRE(place.levee(demo(how, how)).code == 0);
    nlohmann::json tlm = reproducible(place.results("tlm"));
    nlohmann::json rtl = reproducible(place.results("rtl"));
    nlohmann::json lockstep = reproducible(place.results("lockstep"));
    CHECK(tlm["metrics"]["evictor.evicted"] > 0);
    CHECK(rtl["metrics"]["evictor.rtl.cycles"] > 0);
    CHECK(lockstep["metrics"]["evictor.lockstep.comparisons"] > 0);
    CHECK(lockstep["metrics"]["evictor.rtl.cycles"] == rtl["metrics"]["evictor.rtl.cycles"]);
    CHECK(tlm["text"] == rtl["text"]);
    CHECK(tlm["metrics"] == without(rtl, "evictor.rtl.cycles")["metrics"]);
    lockstep = without(lockstep, "evictor.rtl.cycles");
    CHECK(tlm["metrics"] == without(lockstep, "evictor.lockstep.comparisons")["metrics"]);
}

TEST_CASE("a prefill of ragged tiles, in each kind of score, takes the same time with the RTL")
{
    const std::string story =
        "Once upon a time Ben, Eve, Ida, Leo and Tom lived in a quiet village by the sea. One "
        "morning the snow fell. Ben and Eve played a game in the wood.";
    Workplace place;
    for (const std::string score : {"softmax", "logit"}) {
        const auto run = [&](const std::string& how) {
            std::vector<std::string> arguments = demo(how, score + how);
            arguments[5] = "workload.max_new_tokens=3";
            for (const std::string& more :
                 {"workload.prompts=[\"" + story + "\", \"The water was cold.\"]",
                  "kv_cache.score=" + score})
                arguments.insert(arguments.end(), {"--set", more});
            const Outcome outcome = place.levee(arguments);
            INFO(outcome.text);
            REQUIRE(outcome.code == 0);
            return reproducible(place.results(score + how));
        };
        const nlohmann::json tlm = run("tlm");
        nlohmann::json lockstep = without(run("lockstep"), "evictor.rtl.cycles");
        // More scores than cycles: they stream.
        CHECK(tlm["metrics"]["evictor.scores"] >
              2 * tlm["metrics"]["evictor.cycles"].get<double>());
        CHECK(lockstep["metrics"]["evictor.lockstep.comparisons"] > 0);
        CHECK(tlm["metrics"] == without(lockstep, "evictor.lockstep.comparisons")["metrics"]);
        CHECK(tlm["text"] == lockstep["text"]);
    }
}

TEST_CASE("clocked in simulated time the demo says the same, takes longer, and has its waves there")
{
    Workplace place;
    REQUIRE(place.levee(demo("tlm", "tlm")).code == 0);
    std::vector<std::string> arguments = demo("rtl_cycle", "cycle");
    arguments.insert(arguments.end(), {"--waves", "870us..880us", "--waves-format", "vcd"});
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const nlohmann::json tlm = place.results("tlm"), cycle = place.results("cycle");
    CHECK(tlm["text"] == cycle["text"]);
    const nlohmann::json& metrics = cycle["metrics"];
    CHECK(metrics["evictor.rtl_cycle.operations"] > 100);
    CHECK(metrics["evictor.rtl_cycle.cycles"] == metrics["evictor.rtl.cycles"]);
    // The rule leaves out a tile's load before its first score and its last reads.
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

    arguments = demo("rtl", "bad");
    arguments.insert(arguments.end(), {"--waves", "2ms"});
    const Outcome bad = place.levee(arguments);
    CHECK(bad.code == 2);
    CHECK(bad.text.find("'2ms' is no interval of time") != std::string::npos);
}

TEST_CASE("another design in lockstep: the message says where, when and what, and waves are there")
{
    Workplace place;
    std::vector<std::string> arguments = demo("lockstep", "tree");
    arguments.insert(arguments.end(), {"--set", "system.blocks.evictor.rtl=systolic_evictor_tree"});
    const Outcome outcome = place.levee(arguments);
    CHECK(outcome.code == 8);
    for (const char* part : {"evictor: the RTL differs", "ACCUMULATE", "tag ", "time ", "cycle ",
                             "signal ", "expected ", "got ", "row 0 of tile 0", "tree/evictor.fst"})
        CHECK(outcome.text.find(part) != std::string::npos);
    CHECK(std::filesystem::file_size(place.path("tree/evictor.fst")) > 0);
}

TEST_CASE("lockstep in which nothing was compared has failed")
{
    Workplace place;
    const Outcome outcome =
        place.levee({"run", "kelle/demo", "--app", "hello", "--set", impl + "lockstep", "--quiet"});
    CHECK(outcome.code == 8);
    CHECK(outcome.text.find("nothing was compared") != std::string::npos);
}

TEST_CASE("impl where there is no RTL, and what the RTL cannot do, are errors at the key")
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

TEST_CASE("levee cosim: what was compared and covered, a failure names the command that repeats it")
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
    CHECK(outcome.text.find("again: ./levee cosim systolic_evictor_tree --seed 5 --ops ") !=
          std::string::npos);
    CHECK(outcome.text.find("not in the cycles") != std::string::npos);
    CHECK(std::filesystem::file_size(place.path("out/cosim/systolic_evictor_tree.fst")) > 0);
    CHECK(place.levee({"cosim", "systolic_evictor_tree", "--values-only"}).code == 0);

    outcome = place.levee({"cosim", "systolic_evictr"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("did you mean 'systolic_evictor'") != std::string::npos);
}
