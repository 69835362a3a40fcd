// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/sweep.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace levee::cli {

/// add_study() adds the options for the study, its folder and overrides. add_runs() adds the
/// options for its runs. `request` must outlive `command`.
void add_study(CLI::App& command, sweep::StudyRequest& request);
void add_runs(CLI::App& command, sweep::StudyRequest& request);
/// Adds options by which several processes share the work. `text` describes the part of one
/// process.
void add_shards(CLI::App& command, sweep::SweepRequest& request, const std::string& text);

/// Throws CLI::ValidationError for options of an executor that the request does not have.
void check_executor(const CLI::App& command, const sweep::SweepRequest& request);

/// Adds `sweep`, which sets `action`. Both must outlive `app`.
void add_sweep(CLI::App& app, sweep::SweepRequest& request, std::function<int()>& action);

} // namespace levee::cli
