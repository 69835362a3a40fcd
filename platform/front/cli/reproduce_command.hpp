// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/reproduce.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `reproduce`, which sets `action`. Both must outlive `app`.
void add_reproduce(CLI::App& app, reproduce::Request& request, std::function<int()>& action);

} // namespace levee::cli
