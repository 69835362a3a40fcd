// SPDX-License-Identifier: Apache-2.0
// Runs `impl:` of a compression block in a scenario, and `levee cosim`, as users run them.
#include "test/rtl/figures.hpp"

using namespace levee::test;

namespace {

std::vector<std::string> story(const std::string& how)
{
    return {"run",   "pim/cpq",
            "--set", "system.blocks.cpq.impl=" + how,
            "--set", "workload.max_new_tokens=6"};
}

} // namespace

TEST_CASE("every figure is the same with the RTL units, and in lockstep")
{
    // The RTL executes only COMPRESS, so its cycles are the block's without those of EXPAND.
    CHECK(check_same_figures(story, {"cpq"})["cpq.levels"] > 0);
}

TEST_CASE("units of sizes or speeds that no RTL has are refused by their key")
{
    Workplace place;
    for (const char* key : {"width", "prune_cycles", "quantise_cycles", "level_cycles"}) {
        std::vector<std::string> arguments = story("rtl");
        set(arguments, {std::string("system.blocks.cpq.") + key + "=17"});
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
