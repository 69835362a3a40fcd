// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/lock.hpp"
#include "platform/studies/sweep/points.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace levee::reproduce {

/// A run as in `levee run`, in its own process.
struct Run {
    std::string title; ///< Title for messages.
    std::filesystem::path scenario;
    std::vector<std::string> overrides;
    std::filesystem::path folder;
    bool shares_prefill = false; ///< RunSpec::shares_prefill
    /// Hash of all that determines the run's results (sweep::run_key): equal keys, equal results.
    std::string key;
    /// The same text for runs that differ at most in `sampling.lengths` and, if they share their
    /// prefill, in `workload.max_new_tokens`. Such runs are one run until the end of the prefill.
    std::string prefill;
};

struct Failure {
    std::size_t run = 0;
    std::string message; ///< Message with the run's title, exit code, last output and log.
};

struct Execution {
    std::filesystem::path out;  ///< the folder of all
    unsigned jobs = 0;          ///< Number of simultaneous runs; 0: number of cores.
    bool allow_outside = false; ///< Same as in `levee run`.
    bool quiet = false;
    bool resume = true;                ///< Skip runs that an earlier reproduction has finished.
    sweep::FolderLock* lock = nullptr; ///< the folder's lock, which this process keeps
};

/// The scenarios of runs, each file read once.
class Sources {
public:
    explicit Sources(const config::FileFinder& finder) : finder_(finder) {}

    /// Throws config::Error if the scenario cannot be used.
    void add(const std::filesystem::path& scenario);
    /// Source of a scenario that was added.
    [[nodiscard]] const config::ScenarioSource& of(const std::filesystem::path& scenario) const;

private:
    config::FileFinder finder_;
    std::map<std::filesystem::path, config::ScenarioSource> all_;
};

/// Runs all in forks of this process, with a progress line on a terminal. Runs with a common
/// prefill share a fork, which is copied where they diverge. Returns failures in the order in which
/// runs ended. Earlier results in a run's folder are reused only if they are complete and have its
/// key.
[[nodiscard]] std::vector<Failure> execute(const std::vector<Run>& runs, const Sources& sources,
                                           const Execution& execution);

/// The metrics of a run that succeeded.
[[nodiscard]] nlohmann::json read_metrics(const Run& run);

/// "warnings", and one line for each warning's text in successful runs, with its number of runs;
/// empty if there are none.
[[nodiscard]] std::string warnings_text(const std::vector<Run>& runs);

/// Value of a column. Throws config::Error at the column, with the nearest figure, if the figure
/// does not exist.
[[nodiscard]] double column_value(const nlohmann::json& metrics, const sweep::Column& column,
                                  const std::string& title);

} // namespace levee::reproduce
