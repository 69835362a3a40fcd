// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/run.hpp"

namespace levee::cli {

/// Exit code of a command whose arguments or files are invalid.
constexpr int bad_usage = run_not_begun;
/// Exit code if the command succeeded but a part of its output was lost.
constexpr int output_lost = 74;
/// Exit code if the reader of standard output has closed it. Shells report SIGPIPE with the same
/// number.
constexpr int nobody_reads = 141;

/// The `levee` program. `run` returns the firmware's exit code or a RunCode. Other commands return
/// 0, bad_usage, output_lost or nobody_reads.
int run(int argc, char* argv[]);

} // namespace levee::cli
