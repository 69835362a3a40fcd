// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/sweep.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `sweep`, which sets `action`; both must outlive it.
void add_sweep(CLI::App& app, sweep::SweepRequest& request, std::function<int()>& action);

} // namespace levee::cli
