// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `calibrate-decisions`, which sets `action`; that must outlive it.
void add_calibrate_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
