// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

namespace levee::cli {

/// Runs in a process of its own, and again whenever the file is another one, until a signal ends
/// this process. A run that is under way then is ended. Returns in the processes that run, with
/// what `run` returns.
int run_watched(const std::filesystem::path& file, const std::function<int()>& run);

} // namespace levee::cli
