// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/store.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// The options of a study's runs, whoever chooses its points.
struct StudyRequest {
    std::string study;                        ///< a YAML file, or the name of a shipped one
    std::vector<std::string> overrides;       ///< "a.b=c", of every point
    std::optional<std::filesystem::path> out; ///< default out/<study's name>
    unsigned jobs = 0;                        ///< Number of simultaneous runs; 0: number of cores.
    bool dry_run = false;                     ///< Only list the points, or the first of them.
    bool resume = true;                       ///< Keep finished work in the folder.
    bool keep = false;                        ///< Keep each run's files.
    bool allow_outside = false;               ///< files that scenarios name may lie anywhere
    bool quiet = false; ///< neither progress nor table nor verdicts on the terminal
};

struct SweepRequest : StudyRequest {
    Shard shard;                     ///< the part of the runs that is done
    bool slurm = false;              ///< shards are tasks of a job array
    unsigned tasks = 16;             ///< the largest number of tasks in the array
    std::vector<std::string> sbatch; ///< options of its submission
    std::string command;             ///< in place of Slurm: what runs a shard; empty: none
};

/// Exit code of a sweep with a failed point or a check that does not hold, or that has been
/// stopped.
constexpr int sweep_failed = 1;

/// Runs every unfinished point of a study in its own process, writes table.csv, points.csv,
/// table.txt and sweep.json when all are complete, and evaluates the checks. Throws config::Error
/// or std::runtime_error for unusable input before anything runs.
int run_sweep(const SweepRequest& request);

} // namespace levee::sweep
