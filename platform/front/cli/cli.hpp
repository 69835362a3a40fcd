// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/run.hpp"

namespace levee::cli {

/// Exit code of a command whose arguments or files are invalid.
constexpr int bad_usage = run_not_begun;
/// Exit code if the command succeeded but a part of its output could not be written.
constexpr int output_lost = 74;
/// Exit code if the reader of standard output has closed the pipe. Shells report SIGPIPE by the
/// same number.
constexpr int nobody_reads = 141;

/// Executes the command line of `levee` and returns its exit code. `levee run` returns the
/// firmware's code or a RunCode, `debug` returns GDB's code, and studies return 0 or 1. All may
/// return bad_usage, output_lost, nobody_reads or ended_by_signal.
int run(int argc, char* argv[]);

} // namespace levee::cli
