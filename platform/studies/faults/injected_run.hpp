// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/faults/fault.hpp"
#include "platform/observe/faults/place.hpp"
#include "platform/studies/faults/outcome.hpp"
#include "platform/studies/faults/study.hpp"
#include "platform/studies/sweep/forks.hpp"

#include <filesystem>

namespace levee::campaign {

/// Inputs that all runs of a campaign share.
struct Work {
    const std::filesystem::path& scenario;
    const std::vector<std::string>& overrides;
    const config::ScenarioSource& source;
    bool allow_outside = false;
};

/// The results of the run without a fault.
struct Golden {
    faults::Survey survey;
    Reference reference;
};

/// Executes the run without a fault in this process, and writes it as JSON to the file descriptor
/// `output`. The run's files go to `scratch`. Returns the run's exit code.
int run_without_fault(const Work& work, const std::filesystem::path& scratch, int output);
/// Reads a recorded run without a fault. Throws config::Error if the scenario fails without any
/// fault, and std::runtime_error if the process crashed.
[[nodiscard]] Golden golden_of(const nlohmann::json& record);
/// Returns the record of a run without a fault: its process's output, or why the process failed.
[[nodiscard]] nlohmann::json record_of_golden(const sweep::Ended& ended);

/// Executes the run with a fault, otherwise like run_without_fault(). It may take at most `limit`
/// times the simulated time of the run without one.
int run_with_fault(const Work& work, const Golden& golden, double limit, const faults::Fault& fault,
                   const std::filesystem::path& scratch, int output);
/// Throws std::runtime_error if the process could not start its run or could not flip the bit.
[[nodiscard]] Outcome outcome_of_process(const sweep::Ended& ended);

} // namespace levee::campaign
