// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::cli {

/// Exit code of a command whose arguments or files cannot be used.
constexpr int bad_usage = 2;
/// Exit code where all went well but for standard output, of which some could not be written.
constexpr int output_lost = 74;

/// The `levee` program. `run` returns the firmware's exit code or a RunCode, all else 0, bad_usage
/// or output_lost.
int run(int argc, char* argv[]);

} // namespace levee::cli
