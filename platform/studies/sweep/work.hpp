// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/plan.hpp"
#include "platform/studies/sweep/study.hpp"

#include <filesystem>
#include <string>

namespace levee::sweep {

/// Inputs that all runs of a study share.
struct Work {
    const Study& study;
    const config::ScenarioSource& source;
    std::filesystem::path out;
    bool allow_outside = false;
};

/// Returns the folder for a run's files if they are kept, such as "runs/ab/ab12cd34ef56", from its
/// key.
[[nodiscard]] std::string kept_folder(const std::string& key);

/// Executes a run in this process, and writes `{"metrics", "warnings", "error"}` as JSON to the
/// descriptor `output`. The run's files go to its kept folder or, if the study does not keep them,
/// to `scratch`. Returns the run's exit code.
int work_on(const Work& work, const PlannedRun& run, const std::filesystem::path& scratch,
            int output);

} // namespace levee::sweep
