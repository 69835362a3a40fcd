// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `report`, which sets `action`. `action` must outlive `app`.
void add_report_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
