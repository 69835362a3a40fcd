// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `levee cosim`, which compares a block's RTL with its reference.
void add_cosim_command(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
