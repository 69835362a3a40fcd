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
/// Adds --shard, --executor and related options, by which several processes share the work. `text`
/// is the help text of --shard.
void add_shards(CLI::App& command, sweep::SweepRequest& request, const std::string& text);

/// Throws CLI::ValidationError if options of an executor are given without that executor.
void check_executor(const CLI::App& command, const sweep::SweepRequest& request);

/// Adds `sweep`, which sets `action`. Both must outlive `app`.
void add_sweep(CLI::App& app, sweep::SweepRequest& request, std::function<int()>& action);

} // namespace levee::cli
