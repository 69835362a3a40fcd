// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `completion`, which prints shell completions for all commands of `app`, including those
/// added later. Both arguments must outlive the command.
void add_completion_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
