// SPDX-License-Identifier: Apache-2.0
// `impl:` of a flash in Cambricon's demo, as users run it.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

const std::string flash = "system.memories.flash.";

/// Few tokens from pages with some wrong bits in a thousand.
std::vector<std::string> demo(const std::string& how, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{
        "run",
        "cambricon/demo",
        "--quiet",
        "--out",
        how,
        "--set",
        flash + "impl=" + how,
        "--set",
        "workload.max_new_tokens=5",
        "--set",
        flash + "errors={extends: tech/flash/tlc_3d.yaml, age: 36000 s, cycles: 1500}"};
    for (const std::string& setting : more)
        arguments.insert(arguments.end(), {"--set", flash + setting});
    return arguments;
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the RTL of the flash's unit, and in "
          "lockstep")
{
    Workplace place;
    for (const char* how : {"tlm", "rtl", "lockstep"}) {
        const Outcome outcome = place.levee(demo(how));
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    }
    const nlohmann::json tlm = reproducible(place.results("tlm"));
    nlohmann::json rtl = reproducible(place.results("rtl"));
    nlohmann::json lockstep = reproducible(place.results("lockstep"));
    CHECK(tlm["metrics"]["flash.corrected_values"] > 0);
    CHECK(tlm["metrics"]["flash.clamped_values"] > 0);
    CHECK(rtl["metrics"]["flash.rtl.cycles"] > 0);
    CHECK(lockstep["metrics"]["flash.rtl.cycles"] == rtl["metrics"]["flash.rtl.cycles"]);
    CHECK(lockstep["metrics"]["flash.lockstep.comparisons"] >
          lockstep["metrics"]["flash.rtl.cycles"]);
    CHECK(tlm["text"] == rtl["text"]);
    for (nlohmann::json* const other : {&rtl, &lockstep})
        for (const char* key : {"flash.rtl.cycles", "flash.lockstep.comparisons"})
            (*other)["metrics"].erase(key);
    CHECK(tlm["metrics"] == rtl["metrics"]);
    CHECK(tlm["metrics"] == lockstep["metrics"]);
}

TEST_CASE("a code that no design decodes, or not the named one, is an error at the key")
{
    Workplace place;
    const auto says = [&](const std::vector<std::string>& more, const std::string& expected) {
        const Outcome outcome = place.levee(demo("rtl", more));
        INFO(outcome.text);
        CHECK(outcome.code == 2);
        CHECK(outcome.text.find(expected) != std::string::npos);
    };
    says({"ecc.protected=9"}, "'system.memories.flash.ecc' does not fit the RTL; expected the code "
                              "of one of flash_ecu (pages of 16384 B");
    says({"rtl=flash_ecu"}, "'system.memories.flash.ecc' does not fit the RTL");
    says({"rtl=flash_ecu_2k"}, "flash_ecu_1k");
    says({"ecc=null"}, "'system.memories.flash.impl' must be tlm without 'ecc'");
    CHECK(place.levee(demo("rtl", {"rtl=flash_ecu_1k"})).code == 0);
}

TEST_CASE("levee cosim of the error correction unit: all points are covered")
{
    Workplace place;
    const Outcome outcome = place.levee({"cosim", "flash_ecu_1k", "--ops", "500"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("covered: 33 of 33") != std::string::npos);
    CHECK(outcome.text.find("equal, in values and cycles") != std::string::npos);
}
