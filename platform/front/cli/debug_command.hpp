// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace levee::cli {

/// Adds `levee debug FILE`: starts a run that waits for a debugger, and GDB in this terminal.
void add_debug(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
