// SPDX-License-Identifier: Apache-2.0
// Runs a scenario with a block's reference, with its RTL, and in lockstep.
#pragma once

#include "test/system/program.hpp"

#include <functional>
#include <string>
#include <vector>

namespace levee::test {

/// Adds settings of a scenario to a command line.
inline void set(std::vector<std::string>& arguments, const std::vector<std::string>& settings)
{
    for (const std::string& setting : settings)
        arguments.insert(arguments.end(), {"--set", setting});
}

inline nlohmann::json results_of(const Workplace& place, const std::string& folder,
                                 std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--out", folder, "--quiet"});
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return reproducible(place.results(folder));
}

/// Runs the command lines arguments("tlm"), arguments("rtl") and arguments("lockstep"). Text,
/// tokens and every figure must be the same in all three runs, except figures about the designs of
/// `blocks`. Returns the figures of the last run.
inline nlohmann::json
check_same_figures(const std::function<std::vector<std::string>(const std::string&)>& arguments,
                   const std::vector<std::string>& blocks)
{
    const Workplace place;
    const nlohmann::json tlm = results_of(place, "tlm", arguments("tlm"));
    nlohmann::json rtl = results_of(place, "rtl", arguments("rtl"));
    nlohmann::json lockstep = results_of(place, "lockstep", arguments("lockstep"));
    const nlohmann::json figures = lockstep["metrics"];
    for (const std::string& block : blocks) {
        const std::string cycles = block + ".rtl.cycles",
                          compared = block + ".lockstep.comparisons";
        CHECK(rtl["metrics"][cycles] > 0);
        CHECK(lockstep["metrics"][cycles] == rtl["metrics"][cycles]);
        CHECK(lockstep["metrics"][compared] > 0);
        for (nlohmann::json* const other : {&rtl, &lockstep})
            for (const std::string& key : {cycles, compared})
                (*other)["metrics"].erase(key);
    }
    for (const nlohmann::json* const other : {&rtl, &lockstep})
        for (const char* const part : {"text", "tokens", "metrics"})
            CHECK(tlm.value(part, nlohmann::json()) == other->value(part, nlohmann::json()));
    return figures;
}

} // namespace levee::test
