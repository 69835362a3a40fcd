// SPDX-License-Identifier: Apache-2.0
// `impl:` of a compression block in a scenario, and `levee cosim`, as users run them.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

std::vector<std::string> story(const std::string& how, const std::string& folder)
{
    return {"run",    "pim/cpq",
            "--set",  "system.blocks.cpq.impl=" + how,
            "--set",  "workload.max_new_tokens=6",
            "--out",  folder,
            "--quiet"};
}

nlohmann::json without(nlohmann::json metrics, const std::string& key)
{
    metrics.erase(key);
    return metrics;
}

} // namespace

TEST_CASE("every figure is the same with the RTL units, and in lockstep")
{
    Workplace place;
    for (const char* how : {"tlm", "rtl", "lockstep"}) {
        const Outcome outcome = place.levee(story(how, how));
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    }
    const nlohmann::json tlm = reproducible(place.results("tlm"))["metrics"];
    const nlohmann::json rtl = reproducible(place.results("rtl"))["metrics"];
    const nlohmann::json lockstep = reproducible(place.results("lockstep"))["metrics"];
    CHECK(tlm["cpq.levels"] > 0);
    CHECK(lockstep["cpq.lockstep.comparisons"] > 0);
    // COMPRESS is all that the RTL does: its cycles are the block's, but for EXPAND's.
    CHECK(rtl["cpq.rtl.cycles"] > 0);
    CHECK(tlm == without(rtl, "cpq.rtl.cycles"));
    CHECK(tlm == without(without(lockstep, "cpq.rtl.cycles"), "cpq.lockstep.comparisons"));
}

TEST_CASE("units of other sizes or speeds than any RTL's are refused by their key")
{
    Workplace place;
    for (const char* key : {"width", "prune_cycles", "quantise_cycles", "level_cycles"}) {
        std::vector<std::string> arguments = story("rtl", "out");
        arguments.insert(arguments.end(),
                         {"--set", std::string("system.blocks.cpq.") + key + "=17"});
        const Outcome outcome = place.levee(arguments);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(std::string(key) + "' does not fit the RTL"));
    }
}

TEST_CASE("levee cosim knows the units by name")
{
    Workplace place;
    const Outcome outcome = place.levee({"cosim", "cpq_4", "--ops", "2000"});
    INFO(outcome.text);
    CHECK(outcome.code == 0);
}
