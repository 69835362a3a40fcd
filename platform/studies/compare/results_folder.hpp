// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace levee::compare {

/// The content of a run's results.json.
struct RunResults {
    std::string name;                            ///< name of its folder
    std::map<std::string, double> figures;       ///< numbers, but for `host.`
    std::map<std::string, std::string> texts;    ///< other values, and the bottleneck of each phase
    std::map<std::string, std::string> scenario; ///< resolved: values by their keys, a.b.c
    std::vector<std::string> warnings;
    std::string error; ///< error of a run that failed
};

/// Reads the results of a folder or file. Throws std::runtime_error with its name if there are
/// none.
[[nodiscard]] RunResults read_results(const std::filesystem::path& folder);

/// Names runs whose folders have the same name by the shortest differing ends of their paths.
void tell_apart(std::vector<RunResults>& runs, const std::vector<std::filesystem::path>& folders);

} // namespace levee::compare
