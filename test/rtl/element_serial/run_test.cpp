// SPDX-License-Identifier: Apache-2.0
// Runs `impl:` of the element-serial unit in VEDA's demo, as users run it.
#include "test/rtl/figures.hpp"

using namespace levee::test;

namespace {

const std::string unit = "system.blocks.element_serial.";

std::vector<std::string> demo(const std::string& how)
{
    return {
        "run", "veda/demo", "--set", unit + "impl=" + how, "--set", "workload.max_new_tokens=20"};
}

} // namespace

TEST_CASE(
    "the text and every figure of VEDA's demo are the same with the element-serial unit's RTL, "
    "and in lockstep")
{
    const nlohmann::json figures = check_same_figures(demo, {"element_serial"});
    // The timing rule and the RTL have the same cycles.
    CHECK(figures["element_serial.rtl.cycles"] == figures["element_serial.cycles"]);
    CHECK(figures["element_serial.lockstep.comparisons"] > figures["element_serial.rtl.cycles"]);
}

TEST_CASE("a FIFO that the element-serial unit's RTL does not have is an error at the key")
{
    Workplace place;
    std::vector<std::string> arguments = demo("rtl");
    set(arguments, {unit + "tile=16"});
    const Outcome outcome = place.levee(arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("'system.blocks.element_serial.tile' does not fit the RTL, whose FIFO "
                            "has 32 elements") != std::string::npos);
    set(arguments, {unit + "impl=tlm"});
    CHECK(place.levee(arguments).code == 0);
}

TEST_CASE("levee cosim of the element-serial unit covers all points")
{
    Workplace place;
    const Outcome outcome = place.levee({"cosim", "element_serial", "--ops", "1000"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("covered: 25 of 25") != std::string::npos);
    CHECK(outcome.text.find("equal, in values and cycles") != std::string::npos);
}
