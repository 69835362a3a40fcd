// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

struct Request {
    std::string paper;             ///< a folder, or the name of one of the shipped scenarios
    std::vector<std::string> only; ///< rows and plots; empty: all
    std::optional<std::filesystem::path> out; ///< default `out/reproduce/<paper>`
    unsigned jobs = 0;                        ///< Number of simultaneous runs; 0: number of cores.
    bool no_variants = false;
    bool allow_outside = false; ///< files that scenarios name may lie anywhere
    bool resume = true;         ///< leave out runs that are done already
    bool quiet = false;         ///< neither table nor progress on the terminal
};

/// Exit code if a run failed, a number is missing, or a number is outside its expected range.
constexpr int incomplete = 1;

/// Runs everything that the chosen rows and plots need, each run once as `levee run` in its own
/// process, and compares the results with the published numbers. Throws config::Error or
/// std::runtime_error for unusable input before anything runs.
int run_reproduce(const Request& request);

} // namespace levee::reproduce
