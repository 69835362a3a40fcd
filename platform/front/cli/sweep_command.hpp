// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/sweep.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds the study itself, its folder and overrides; how its points run. `request` must outlive it.
void add_study(CLI::App& command, sweep::StudyRequest& request);
void add_runs(CLI::App& command, sweep::StudyRequest& request);
/// Adds the ways in which several processes share the work; `text` describes one's part.
void add_shards(CLI::App& command, sweep::SweepRequest& request, const std::string& text);

/// Adds `sweep`, which sets `action`; both must outlive it.
void add_sweep(CLI::App& app, sweep::SweepRequest& request, std::function<int()>& action);

} // namespace levee::cli
