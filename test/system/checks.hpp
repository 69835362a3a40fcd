// SPDX-License-Identifier: Apache-2.0
// Runs the programs in test/firmware/checks.
#pragma once

#include "test/system/program.hpp"

namespace levee::test {

inline Outcome run_in(const std::string& scenario, const Workplace& place,
                      const std::string& program, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{
        "run", scenario, "--elf", std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/" + program + ".elf"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place.levee(arguments);
}

inline Outcome run(const Workplace& place, const std::string& program,
                   std::vector<std::string> more = {})
{
    return run_in("app", place, program, more);
}

inline void check_says(const Outcome& outcome, const std::vector<std::string>& words)
{
    for (const std::string& word : words) {
        INFO(word);
        CHECK(outcome.text.find(word) != std::string::npos);
    }
}

} // namespace levee::test
