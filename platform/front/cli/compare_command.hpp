// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/compare.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

void add_compare(CLI::App& app, compare::Request& request, std::function<int()>& action);

} // namespace levee::cli
