// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `completion`, which prints what a shell completes of all that has been added to `app`
/// before and after; both must outlive it.
void add_completion_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
