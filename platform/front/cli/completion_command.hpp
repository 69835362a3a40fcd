// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds the command `completion`, which prints shell completions for all commands of `app`, earlier
/// and later ones; both must outlive it.
void add_completion_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
