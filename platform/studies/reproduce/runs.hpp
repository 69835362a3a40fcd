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

/// A run, like `levee run`, in its own process.
struct Run {
    std::string title;
    std::filesystem::path scenario;
    std::vector<std::string> overrides;
    std::filesystem::path folder;
    bool shares_prefill = false; ///< as RunSpec::shares_prefill
    /// Hash of everything on which the results depend (sweep::run_key). Equal keys mean equal
    /// results.
    std::string key;
    /// The scenario's file and resolved text. The text of a sampled scenario is without
    /// `sampling.lengths` and, with `shares_prefill`, without `workload.max_new_tokens`. Equal
    /// texts mean runs that are identical until the end of the prefill.
    std::string prefill;
};

struct Failure {
    std::size_t run = 0;
    std::string message; ///< has the run's title, exit code, last output and log file
};

struct Execution {
    std::filesystem::path out; ///< the folder that contains all runs' folders
    unsigned jobs = 0; ///< maximum number of runs at the same time; 0: number of processor cores
    bool allow_outside = false; ///< as in `levee run`
    bool quiet = false;
    bool resume = true;                ///< skip runs that an earlier reproduction has finished
    sweep::FolderLock* lock = nullptr; ///< the folder's lock, which this process keeps
};

/// The scenarios of runs. Each file is read once.
class Sources {
public:
    explicit Sources(const config::FileFinder& finder) : finder_(finder) {}

    /// Throws config::Error if the scenario cannot be used.
    void add(const std::filesystem::path& scenario);
    /// The scenario must have been added.
    [[nodiscard]] const config::ScenarioSource& of(const std::filesystem::path& scenario) const;

private:
    config::FileFinder finder_;
    std::map<std::filesystem::path, config::ScenarioSource> all_;
};

/// Executes all runs in forks of this process, with a progress line on a terminal. Runs with the
/// same prefill share a fork, which is copied after the prefill. Returns failures in the order in
/// which runs ended. Earlier results in a folder are used only if they are complete and have the
/// run's key.
[[nodiscard]] std::vector<Failure> execute(const std::vector<Run>& runs, const Sources& sources,
                                           const Execution& execution);

[[nodiscard]] nlohmann::json read_metrics(const Run& run);

/// Returns "warnings" and a line for each different warning, with the number of its runs; empty if
/// there are none. Runs without a results.json are ignored.
[[nodiscard]] std::string warnings_text(const std::vector<Run>& runs);

/// Returns the value of a column. If the figure does not exist, throws config::Error at the column,
/// with the nearest name.
[[nodiscard]] double column_value(const nlohmann::json& metrics, const sweep::Column& column,
                                  const std::string& title);

} // namespace levee::reproduce
