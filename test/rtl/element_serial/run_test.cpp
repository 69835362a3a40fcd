// SPDX-License-Identifier: Apache-2.0
// `impl:` of the element-serial unit in VEDA's demo, as users run it.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

const std::string unit = "system.blocks.element_serial.";

std::vector<std::string> demo(const std::string& how, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{"run",
                                       "veda/demo",
                                       "--quiet",
                                       "--out",
                                       how,
                                       "--set",
                                       unit + "impl=" + how,
                                       "--set",
                                       "workload.max_new_tokens=20"};
    for (const std::string& setting : more)
        arguments.insert(arguments.end(), {"--set", unit + setting});
    return arguments;
}

} // namespace

TEST_CASE(
    "the text and every figure of VEDA's demo are the same with the element-serial unit's RTL, "
    "and in lockstep")
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
    // The timing rule is the RTL's.
    CHECK(rtl["metrics"]["element_serial.rtl.cycles"] == tlm["metrics"]["element_serial.cycles"]);
    CHECK(lockstep["metrics"]["element_serial.lockstep.comparisons"] >
          lockstep["metrics"]["element_serial.rtl.cycles"]);
    CHECK(tlm["text"] == rtl["text"]);
    for (nlohmann::json* const other : {&rtl, &lockstep})
        for (const char* key : {"element_serial.rtl.cycles", "element_serial.lockstep.comparisons"})
            (*other)["metrics"].erase(key);
    CHECK(tlm["metrics"] == rtl["metrics"]);
    CHECK(tlm["metrics"] == lockstep["metrics"]);
}

TEST_CASE("a FIFO that the element-serial unit's RTL does not have is an error at the key")
{
    Workplace place;
    const Outcome outcome = place.levee(demo("rtl", {"tile=16"}));
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("'system.blocks.element_serial.tile' does not fit the RTL, whose FIFO "
                            "has 32 elements") != std::string::npos);
    CHECK(place.levee(demo("tlm", {"tile=16"})).code == 0);
}

TEST_CASE("levee cosim of the element-serial unit: all points are covered")
{
    Workplace place;
    const Outcome outcome = place.levee({"cosim", "element_serial", "--ops", "1000"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("covered: 25 of 25") != std::string::npos);
    CHECK(outcome.text.find("equal, in values and cycles") != std::string::npos);
}
