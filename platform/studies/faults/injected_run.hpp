// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/faults/fault.hpp"
#include "platform/observe/faults/place.hpp"
#include "platform/studies/faults/outcome.hpp"
#include "platform/studies/faults/study.hpp"
#include "platform/studies/sweep/forks.hpp"

#include <filesystem>

namespace levee::campaign {

/// The common inputs of a campaign's runs.
struct Work {
    const std::filesystem::path& scenario;
    const std::vector<std::string>& overrides;
    const config::ScenarioSource& source;
    bool allow_outside = false;
};

/// The run without a fault.
struct Golden {
    faults::Survey survey;
    Reference reference;
};

/// Runs without a fault in this process, and writes a JSON record of the run to the descriptor
/// `output`. Files go to `scratch`. Returns the run's exit code.
int run_without_fault(const Work& work, const std::filesystem::path& scratch, int output);
/// The run of such a record. Throws config::Error for a scenario that fails by itself, and
/// std::runtime_error for a process that crashed.
[[nodiscard]] Golden golden_of(const nlohmann::json& record);
/// Record of a process: its output, or the reason why it failed.
[[nodiscard]] nlohmann::json record_of_golden(const sweep::Ended& ended);

/// Runs with a fault, for at most `limit` times the simulated time of the run without it; otherwise
/// like the function above.
int run_with_fault(const Work& work, const Golden& golden, double limit, const faults::Fault& fault,
                   const std::filesystem::path& scratch, int output);
/// Throws std::runtime_error if the process could not run or its bit could not be flipped.
[[nodiscard]] Outcome outcome_of_process(const sweep::Ended& ended);

} // namespace levee::campaign
