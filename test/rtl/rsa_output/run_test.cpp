// SPDX-License-Identifier: Apache-2.0
// Tests `impl:` of an output-stationary array in Kelle's demo, and errors about wrong settings.
#include "test/rtl/figures.hpp"

using namespace levee::test;

namespace {

std::vector<std::string> demo(const std::vector<std::string>& keys)
{
    std::vector<std::string> arguments{"run", "kelle/demo"};
    set(arguments, {"workload.max_new_tokens=4", "system.blocks.rsa.dataflow=output_stationary"});
    set(arguments, keys);
    return arguments;
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the output-stationary array's RTL")
{
    check_same_figures(
        [](const std::string& how) { return demo({"system.blocks.rsa.impl=" + how}); }, {"rsa"});
}

TEST_CASE("clocked in simulated time, the output-stationary RTL delivers the demo's text")
{
    const Workplace place;
    const std::string alone = "system.blocks.rsa_kv=null"; // The key rtl_cycle supports only one
                                                           // queue.
    const nlohmann::json cycle =
        results_of(place, "cycle", demo({alone, "system.blocks.rsa.impl=rtl_cycle"}));
    CHECK(cycle["text"] == results_of(place, "tlm", demo({alone}))["text"]);
    CHECK(cycle["metrics"]["rsa.rtl.cycles"] > 0);
}

TEST_CASE("operations that an output-stationary array or its RTL cannot do are refused by its keys")
{
    Workplace place;
    const auto says = [&](const std::vector<std::string>& keys, const std::string& text) {
        const Outcome outcome = place.levee(demo(keys));
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
    CHECK(free.text.find("'system.blocks.rsa.dataflow' is output_stationary, which does not "
                         "support 'kv_cache.recompute: free'") != std::string::npos);
}
