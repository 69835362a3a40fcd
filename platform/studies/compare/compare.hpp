// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace levee::compare {

struct Request {
    std::vector<std::filesystem::path> folders; ///< folders of runs; the first is the baseline
    std::optional<std::filesystem::path> csv;   ///< file for the table
    std::optional<std::filesystem::path> out;   ///< folder for compare.txt, .csv and .json
    bool quiet = false;
};

/// Prints the results of runs side by side and explains their differences (docs/sweeps.md). Returns
/// an exit code. Throws std::runtime_error for a folder without results, and for an output that
/// would replace a file of a run.
int run_compare(const Request& request);

} // namespace levee::compare
