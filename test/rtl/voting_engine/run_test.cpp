// SPDX-License-Identifier: Apache-2.0
// Runs `impl:` of a voting engine in a scenario, and `levee cosim`, as users run them.
#include "test/rtl/figures.hpp"

using namespace levee::test;

namespace {

std::vector<std::string> recall(const std::string& how)
{
    return {"run",   "kelle/voting",
            "--set", "system.blocks.voting.impl=" + how,
            "--set", "workload.max_stories=2",
            "--set", "tech={energy: tech/energy/kelle_events_voting.yaml}"};
}

} // namespace

TEST_CASE("every figure is the same with the RTL voting engine, and in lockstep")
{
    CHECK(check_same_figures(recall, {"voting"})["voting.elected"] > 0);
}

TEST_CASE("a capacity that no RTL has is refused by its key")
{
    Workplace place;
    std::vector<std::string> arguments = recall("rtl");
    set(arguments, {"system.blocks.voting.capacity=512"});
    const Outcome outcome = place.levee(arguments);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("capacity' does not fit the RTL"));
}

TEST_CASE("levee cosim knows the voting engine by name")
{
    Workplace place;
    const Outcome outcome = place.levee({"cosim", "voting_engine_64", "--ops", "400"});
    INFO(outcome.text);
    CHECK(outcome.code == 0);
}
