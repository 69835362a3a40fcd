// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

void add_explore(CLI::App& app, std::function<int()>& action);

} // namespace levee::cli
