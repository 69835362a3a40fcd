// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `faults`, which sets `action`. `action` must outlive `app`.
void add_faults_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
