// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

struct Request {
    std::string paper;                        ///< a folder, or the name of a folder in scenarios/
    std::vector<std::string> only;            ///< rows and plots; empty: all
    std::optional<std::filesystem::path> out; ///< default: `out/reproduce/<paper>`
    unsigned jobs = 0; ///< maximum number of runs at the same time; 0: number of
                       ///< processor cores
    bool no_variants = false;
    bool allow_outside = false; ///< files named in scenarios may be anywhere
    bool resume = true;         ///< skip runs that are already done
    bool quiet = false;         ///< print neither the table nor progress
};

/// Exit code if a run failed, or if a number is missing or outside its expected range.
constexpr int incomplete = 1;

/// Executes all runs that the chosen rows and plots need, and compares the results with the
/// published numbers. Each run is executed once, like `levee run`, in its own process. Throws
/// config::Error or std::runtime_error for input that cannot be used, before anything runs.
int run_reproduce(const Request& request);

} // namespace levee::reproduce
