// SPDX-License-Identifier: Apache-2.0
// `impl:` of a voting engine in a scenario, and `levee cosim`, as users run them.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

std::vector<std::string> recall(const std::string& how, const std::string& folder)
{
    return {"run",    "kelle/voting",
            "--set",  "system.blocks.voting.impl=" + how,
            "--set",  "workload.max_stories=2",
            "--set",  "tech={energy: tech/energy/kelle_events_voting.yaml}",
            "--out",  folder,
            "--quiet"};
}

nlohmann::json without(nlohmann::json metrics, const std::string& key)
{
    metrics.erase(key);
    return metrics;
}

} // namespace

TEST_CASE("every figure is the same with the RTL voting engine, and in lockstep")
{
    Workplace place;
    for (const char* how : {"tlm", "rtl", "lockstep"}) {
        const Outcome outcome = place.levee(recall(how, how));
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    }
    const nlohmann::json tlm = reproducible(place.results("tlm"))["metrics"];
    const nlohmann::json rtl = reproducible(place.results("rtl"))["metrics"];
    const nlohmann::json lockstep = reproducible(place.results("lockstep"))["metrics"];
    CHECK(tlm["voting.elected"] > 0);
    CHECK(lockstep["voting.lockstep.comparisons"] > 0);
    CHECK(tlm == without(rtl, "voting.rtl.cycles"));
    CHECK(tlm == without(without(lockstep, "voting.rtl.cycles"), "voting.lockstep.comparisons"));
}

TEST_CASE("a capacity that no RTL has is refused by its key")
{
    Workplace place;
    std::vector<std::string> arguments = recall("rtl", "out");
    arguments.insert(arguments.end(), {"--set", "system.blocks.voting.capacity=512"});
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
