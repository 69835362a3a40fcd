// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

namespace levee::cli {

/// Calls `run` in a new process, and again whenever the file changes, until a signal ends this
/// process. A run that is still active when the file changes is ended first. The function returns
/// only in the new processes, with the result of `run`.
int run_watched(const std::filesystem::path& file, const std::function<int()>& run);

} // namespace levee::cli
