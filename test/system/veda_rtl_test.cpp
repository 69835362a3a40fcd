// SPDX-License-Identifier: Apache-2.0
// A generation with all of VEDA's hardware Verilated.
#include "test/system/program.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

nlohmann::json run_with(const Workplace& place, const std::string& implementation)
{
    std::vector<std::string> words{"run", "veda/lockstep", "--out", implementation};
    for (const char* block : {"veda", "element_serial", "voting"}) {
        words.emplace_back("--set");
        words.push_back(std::string("system.blocks.") + block + ".impl=" + implementation);
    }
    const Outcome outcome = place.levee(words);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results(implementation);
}

/// All figures except those of the host and of the designs.
nlohmann::json figures(const nlohmann::json& results)
{
    nlohmann::json kept;
    for (const auto& [name, value] : results.at("metrics").items())
        if (name.rfind("host.", 0) != 0 && name.find(".rtl.") == std::string::npos &&
            name.find(".lockstep.") == std::string::npos)
            kept[name] = value;
    return kept;
}

} // namespace

TEST_CASE(
    "arrays, element-serial unit and voting engine in RTL tell the model's tokens in its time")
{
    const Workplace place;
    const nlohmann::json model = run_with(place, "tlm");
    REQUIRE(model.at("metrics").at("voting.elected").get<std::uint64_t>() > 0);
    for (const char* implementation : {"rtl", "lockstep"}) {
        const nlohmann::json design = run_with(place, implementation);
        INFO(implementation);
        CHECK(design.at("tokens") == model.at("tokens"));
        CHECK(figures(design) == figures(model));
        for (const char* block : {"veda", "element_serial", "voting"})
            CHECK(design.at("metrics").at(block + std::string(".rtl.cycles")) > 0);
    }
}
