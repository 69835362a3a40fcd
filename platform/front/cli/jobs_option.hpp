// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace levee::cli {

/// Adds the option for the number of simultaneous runs. `names` are the option's names.
inline void add_jobs_option(CLI::App& command, unsigned& jobs, const char* names = "--jobs")
{
    constexpr unsigned most_jobs = 1024;
    command.add_option(names, jobs, "Number of simultaneous runs (default: one for each core)")
        ->check(CLI::Range(1U, most_jobs));
}

} // namespace levee::cli
