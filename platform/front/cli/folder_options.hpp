// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace levee::cli {

/// Adds the option for the folder that results are written to; `meaning` is its help.
template <typename Path>
CLI::Option* add_out_folder(CLI::App& command, Path& out, const std::string& meaning)
{
    return command.add_option("-o,--out", out, meaning)->type_name("DIR");
}

/// Adds the two flags that say whether finished runs of the folder count.
inline void add_resume_flags(CLI::App& command, bool& resume)
{
    CLI::Option* const keep = command.add_flag_callback(
        "--resume", [&resume] { resume = true; }, "Keep finished runs of the folder (default)");
    command
        .add_flag_callback(
            "--no-resume", [&resume] { resume = false; },
            "Discard finished runs of the folder; not for one shard of several")
        ->excludes(keep);
}

} // namespace levee::cli
