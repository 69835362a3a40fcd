// SPDX-License-Identifier: Apache-2.0
// Runs `impl:` of a flash in Cambricon's demo, as users run it.
#include "test/rtl/figures.hpp"

using namespace levee::test;

namespace {

const std::string flash = "system.memories.flash.";

/// Runs few tokens from pages with a few wrong bits in a thousand.
std::vector<std::string> demo(const std::string& how)
{
    return {
        "run",   "cambricon/demo",
        "--set", flash + "impl=" + how,
        "--set", "workload.max_new_tokens=5",
        "--set", flash + "errors={extends: tech/flash/tlc_3d.yaml, age: 36000 s, cycles: 1500}"};
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the RTL of the flash's unit, and in "
          "lockstep")
{
    const nlohmann::json figures = check_same_figures(demo, {"flash"});
    CHECK(figures["flash.corrected_values"] > 0);
    CHECK(figures["flash.clamped_values"] > 0);
    CHECK(figures["flash.lockstep.comparisons"] > figures["flash.rtl.cycles"]);
}

TEST_CASE("a code that no design, or not the named one, can decode is an error at the key")
{
    Workplace place;
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = demo("rtl");
        for (const std::string& setting : more)
            set(arguments, {flash + setting});
        return place.levee(arguments);
    };
    const auto says = [&](const std::vector<std::string>& more, const std::string& expected) {
        const Outcome outcome = run(more);
        INFO(outcome.text);
        CHECK(outcome.code == 2);
        CHECK(outcome.text.find(expected) != std::string::npos);
    };
    says({"ecc.protected=9"}, "'system.memories.flash.ecc' does not fit the RTL; expected the code "
                              "of one of flash_ecu (pages of 16384 B");
    says({"rtl=flash_ecu"}, "'system.memories.flash.ecc' does not fit the RTL");
    says({"rtl=flash_ecu_2k"}, "flash_ecu_1k");
    says({"ecc=null"}, "'system.memories.flash.impl' must be tlm without 'ecc'");
    CHECK(run({"rtl=flash_ecu_1k"}).code == 0);
}

TEST_CASE("levee cosim of the error correction unit covers all points")
{
    Workplace place;
    const Outcome outcome = place.levee({"cosim", "flash_ecu_1k", "--ops", "500"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("covered: 33 of 33") != std::string::npos);
    CHECK(outcome.text.find("equal, in values and cycles") != std::string::npos);
}
