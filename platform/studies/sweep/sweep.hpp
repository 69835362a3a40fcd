// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/store.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// The options for a study's runs, for sweeps and explorations.
struct StudyRequest {
    std::string study;                        ///< a YAML file, or the name of a shipped study
    std::vector<std::string> overrides;       ///< "a.b=c", for every point
    std::optional<std::filesystem::path> out; ///< default: out/<name of the study>
    unsigned jobs = 0;          ///< maximum number of runs at the same time; 0: number of
                                ///< processor cores
    bool dry_run = false;       ///< only list the points (explorations: the first points)
    bool resume = true;         ///< keep the runs that the folder already has
    bool keep = false;          ///< keep each run's files
    bool allow_outside = false; ///< files named in scenarios may be anywhere
    bool quiet = false;         ///< print neither progress nor the table, only failures
};

struct SweepRequest : StudyRequest {
    Shard shard;        ///< the part of the runs that this command executes
    bool slurm = false; ///< shards are tasks of a Slurm job array
    unsigned tasks = 16;
    std::vector<std::string> sbatch;
    std::string command; ///< shell command that executes a shard, instead of Slurm;
                         ///< empty: none
};

/// Exit code of a sweep with a failed point or a failed check, or of one that was stopped.
constexpr int sweep_failed = 1;

/// Executes every run of a study that is not done, each in its own process. When all are done,
/// writes table.csv, points.csv, table.txt, sweep.json and report.html, and evaluates the checks.
/// Throws config::Error or std::runtime_error for input that cannot be used, before anything runs.
int run_sweep(const SweepRequest& request);

} // namespace levee::sweep
