// SPDX-License-Identifier: Apache-2.0
// `impl:` of Titanus's cores in a scenario: their products by the macro's RTL.
#include "test/system/program.hpp"

using namespace levee::test;

TEST_CASE("every figure is the same with products by the RTL macro, and in lockstep")
{
    Workplace place;
    for (const char* how : {"tlm", "rtl", "lockstep"}) {
        const Outcome outcome = place.levee({"run", "pim/titanus_demo", "--set",
                                             std::string("system.memories.cim.impl=") + how,
                                             "--set", "workload.max_new_tokens=2", "--set",
                                             "workload.prompts=[The]", "--out", how});
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    }
    const nlohmann::json tlm = reproducible(place.results("tlm"));
    nlohmann::json rtl = reproducible(place.results("rtl"));
    nlohmann::json lockstep = reproducible(place.results("lockstep"));
    CHECK(tlm["tokens"] == rtl["tokens"]);
    CHECK(tlm["tokens"] == lockstep["tokens"]);
    CHECK(rtl["metrics"]["cim.rtl.cycles"] > 0);
    CHECK(lockstep["metrics"]["cim.lockstep.comparisons"] > 0);
    for (const char* added : {"cim.rtl.cycles", "cim.lockstep.comparisons"}) {
        rtl["metrics"].erase(added);
        lockstep["metrics"].erase(added);
    }
    CHECK(tlm["metrics"] == rtl["metrics"]);
    CHECK(tlm["metrics"] == lockstep["metrics"]);
}
