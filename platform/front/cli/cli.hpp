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

/// Executes the command line of `levee` and returns its exit code. `levee run` gives the firmware's
/// code or a RunCode, and `debug` GDB's. Studies give 0 or 1. All may give bad_usage, output_lost,
/// nobody_reads or ended_by_signal.
int run(int argc, char* argv[]);

} // namespace levee::cli
