// SPDX-License-Identifier: Apache-2.0
// Runs a scenario functionally (with data), recording its decisions, and then timing-only (without
// data) from these decisions.
#pragma once

#include "test/system/program.hpp"

namespace levee::test {

/// Runs scenario.yaml with data and without. Every figure except the host's must be the same.
/// Returns the results with data.
inline nlohmann::json check_timing_only(const Workplace& place)
{
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", "scenario.yaml", "--allow-outside"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = place.levee(arguments);
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    };
    run({"--out", "out", "--record-decisions", "decisions"});
    run({"--out", "timing_only", "--set", "data=timing_only", "--set",
         "decisions.recorded=decisions"});
    const nlohmann::json functional = place.results("out"),
                         timing_only = place.results("timing_only");
    for (const auto& [name, value] : functional.at("metrics").items()) {
        INFO(name);
        if (name.rfind("host.", 0) != 0)
            CHECK(timing_only.at("metrics").at(name) == value);
    }
    CHECK(timing_only.at("tokens") == functional.at("tokens"));
    return functional;
}

} // namespace levee::test
