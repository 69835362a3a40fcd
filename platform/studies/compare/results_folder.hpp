// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace levee::compare {

/// The contents of a run's results.json, without the host's figures.
struct RunResults {
    std::string name; ///< name of its folder
    std::map<std::string, double> figures;
    std::map<std::string, std::string> texts;    ///< other values, and each phase's bottleneck
    std::map<std::string, std::string> scenario; ///< the scenario with all defaults: values by keys
                                                 ///< such as a.b.c
    std::vector<std::string> warnings;
    std::string error; ///< the error if the run failed
};

/// Returns the file with the results in a folder. A file stands for itself.
[[nodiscard]] std::filesystem::path results_file(const std::filesystem::path& folder);

/// Reads the results in a folder or file. If there are none, throws std::runtime_error with its
/// name.
[[nodiscard]] RunResults read_results(const std::filesystem::path& folder);

/// If several runs have folders with the same name, names them by the shortest ends of their paths
/// that differ.
void tell_apart(std::vector<RunResults>& runs, const std::vector<std::filesystem::path>& folders);

} // namespace levee::compare
