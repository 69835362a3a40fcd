// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::cli {

/// Exit code of a command whose arguments or files cannot be used.
constexpr int bad_usage = 2;
/// Exit code if all went well except that some of the standard output was lost.
constexpr int output_lost = 74;
/// Exit code if the reader of standard output has gone, as in a shell.
constexpr int nobody_reads = 141;

/// The `levee` program. `run` returns the firmware's exit code or a RunCode; other commands return
/// 0, bad_usage, output_lost or nobody_reads.
int run(int argc, char* argv[]);

} // namespace levee::cli
