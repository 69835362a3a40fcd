// SPDX-License-Identifier: Apache-2.0
// `impl:` of an output-stationary array in Kelle's demo, and what it refuses.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

std::vector<std::string> demo(const std::vector<std::string>& keys, const std::string& folder)
{
    std::vector<std::string> arguments{"run",
                                       "kelle/demo",
                                       "--out",
                                       folder,
                                       "--quiet",
                                       "--set",
                                       "workload.max_new_tokens=4",
                                       "--set",
                                       "system.blocks.rsa.dataflow=output_stationary"};
    for (const std::string& key : keys)
        arguments.insert(arguments.end(), {"--set", key});
    return arguments;
}

nlohmann::json without_rtl(nlohmann::json results)
{
    for (const char* key : {"rsa.rtl.cycles", "rsa.lockstep.comparisons"})
        results["metrics"].erase(key);
    return results["metrics"];
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the output-stationary array's RTL")
{
    Workplace place;
    nlohmann::json seen[3];
    const std::string ways[] = {"tlm", "rtl", "lockstep"};
    for (unsigned i = 0; i < 3; ++i) {
        const Outcome outcome = place.levee(demo({"system.blocks.rsa.impl=" + ways[i]}, ways[i]));
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        seen[i] = reproducible(place.results(ways[i]));
    }
    const nlohmann::json &tlm = seen[0], &rtl = seen[1], &lockstep = seen[2];
    CHECK(rtl["metrics"]["rsa.rtl.cycles"] > 0);
    CHECK(lockstep["metrics"]["rsa.lockstep.comparisons"] > 0);
    CHECK(lockstep["metrics"]["rsa.rtl.cycles"] == rtl["metrics"]["rsa.rtl.cycles"]);
    CHECK(tlm["text"] == rtl["text"]);
    CHECK(tlm["text"] == lockstep["text"]);
    CHECK(tlm["metrics"] == without_rtl(rtl));
    CHECK(tlm["metrics"] == without_rtl(lockstep));
}

TEST_CASE("clocked in simulated time, the output-stationary RTL delivers the demo's text")
{
    Workplace place;
    const std::string alone = "system.blocks.rsa_kv=null"; // rtl_cycle is of one queue
    const Outcome outcome = place.levee(demo({alone, "system.blocks.rsa.impl=rtl_cycle"}, "cycle"));
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    REQUIRE(place.levee(demo({alone}, "tlm")).code == 0);
    const nlohmann::json cycle = place.results("cycle");
    CHECK(cycle["text"] == place.results("tlm")["text"]);
    CHECK(cycle["metrics"]["rsa.rtl.cycles"] > 0);
}

TEST_CASE("what an output-stationary array or its RTL cannot do is refused by its keys")
{
    Workplace place;
    const auto says = [&](const std::vector<std::string>& keys, const std::string& text) {
        const Outcome outcome = place.levee(demo(keys, "refused"));
        INFO(outcome.text);
        CHECK(outcome.code != 0);
        CHECK(outcome.text.find(text) != std::string::npos);
    };
    says({"system.blocks.rsa.impl=rtl", "system.blocks.rsa.rows=24"},
         "do not fit the RTL, which has 32 and 32");
    says({"system.blocks.rsa.impl=rtl", "system.blocks.rsa.overlap_loads=false"},
         "'system.blocks.rsa.overlap_loads' does not fit the RTL");
    says({"system.blocks.rsa.impl=rtl", "system.blocks.rsa.rtl=rsa_4x4"}, "rsa_output_4x4");
    says({"system.blocks.rsa.impl=rtl_cycle"},
         "'system.blocks.rsa.impl' is rtl_cycle, which clocks operations of one queue, and "
         "'system.blocks.rsa_kv' shares this array; expected rtl or lockstep");
    const Outcome free = place.levee({"run", "questions/llama2_7b", "--out", "free", "--set",
                                      "system.blocks.rsa.dataflow=output_stationary", "--set",
                                      "kv_cache.recompute=free"});
    INFO(free.text);
    CHECK(free.code == 2);
    CHECK(free.text.find("'system.blocks.rsa.dataflow' is output_stationary, which does not go "
                         "with 'kv_cache.recompute: free'") != std::string::npos);
}
