// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::cli {

/// Exit code of a command whose arguments or files cannot be used.
constexpr int bad_usage = 2;

/// The `levee` program. `run` returns the firmware's exit code or a RunCode, all else 0 or
/// bad_usage.
int run(int argc, char* argv[]);

} // namespace levee::cli
