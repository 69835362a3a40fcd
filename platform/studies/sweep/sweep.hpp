// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace levee::sweep {

struct SweepRequest {
    std::string study;                        ///< a YAML file, or the name of a shipped one
    std::optional<std::filesystem::path> out; ///< default out/<study's name>
    unsigned jobs = 0;                        ///< runs at once; 0: as many as there are cores
    bool allow_outside = false;               ///< files that scenarios name may lie anywhere
    bool quiet = false;                       ///< neither table nor verdicts on the terminal
};

/// Exit code of a sweep with a failed run or a check that does not hold.
constexpr int sweep_failed = 1;

/// Runs every point of a study as `levee run` in a process of its own, writes table.csv, table.txt
/// and each run's folder, and evaluates the checks. Throws config::Error or std::runtime_error for
/// what cannot be used, before anything has run.
int run_sweep(const SweepRequest& request);

} // namespace levee::sweep
