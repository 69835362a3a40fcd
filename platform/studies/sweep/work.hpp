// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/plan.hpp"
#include "platform/studies/sweep/study.hpp"

#include <filesystem>
#include <string>

namespace levee::sweep {

/// The common inputs of a study's runs.
struct Work {
    const Study& study;
    const config::ScenarioSource& source;
    std::filesystem::path out; ///< the sweep's folder
    bool allow_outside = false;
};

/// The folder of a run's files, if they are kept: "runs/ab/ab12cd34ef56", from its key.
[[nodiscard]] std::string kept_folder(const std::string& key);

/// Runs a scenario in this process and writes `{"metrics", "warnings", "error"}` as JSON to the
/// descriptor `output`. Files go to the run's kept folder or, if the scenario asks for some, to
/// `scratch`. Returns the run's exit code.
int work_on(const Work& work, const PlannedRun& run, const std::filesystem::path& scratch,
            int output);

} // namespace levee::sweep
