// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace levee::cli {

/// Adds the option for the folder of results; `meaning` is its help text.
template <typename Path>
CLI::Option* add_out_folder(CLI::App& command, Path& out, const std::string& meaning)
{
    return command.add_option("-o,--out", out, meaning)->type_name("DIR");
}

/// Adds --resume and --no-resume, which say whether finished runs in the folder are kept.
inline void add_resume_flags(CLI::App& command, bool& resume)
{
    CLI::Option* const keep = command.add_flag_callback(
        "--resume", [&resume] { resume = true; }, "Reuse finished runs in the folder (default)");
    command
        .add_flag_callback(
            "--no-resume", [&resume] { resume = false; },
            "Discard finished runs in the folder; not together with --shard")
        ->excludes(keep);
}

} // namespace levee::cli
