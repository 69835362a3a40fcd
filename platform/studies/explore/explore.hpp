// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::explore {

/// Options as of a sweep (sweep::SweepRequest), and those that override the study's `explore`.
struct Request {
    std::string study;                        ///< a YAML file, or the name of a shipped one
    std::vector<std::string> overrides;       ///< "a.b=c", of every point
    std::optional<std::filesystem::path> out; ///< default out/<study's name>
    std::optional<std::uint32_t> points;      ///< the budget
    std::optional<std::uint64_t> seed;        ///< seed of the optimiser
    std::optional<std::uint32_t> generation;  ///< points that are proposed together
    unsigned jobs = 0;                        ///< runs at once; 0: as many as there are cores
    bool dry_run = false;                     ///< only list the first generation
    bool resume = true;                       ///< keep what has been done in the folder
    bool keep = false;                        ///< each run's files
    bool allow_outside = false;               ///< files that scenarios name may lie anywhere
    bool quiet = false;                       ///< neither progress nor table nor verdicts
};

/// Runs the study's named points, then as many points of its axes as the budget has, generation
/// after generation as an optimiser proposes them, and writes the files of a sweep. The same study
/// and seed give the same files, whatever `jobs` is. Returns an exit code as run_sweep does; throws
/// config::Error or std::runtime_error for anything that cannot be used.
int run_explore(const Request& request);

} // namespace levee::explore
