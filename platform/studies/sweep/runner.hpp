// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/announcer.hpp"
#include "platform/studies/sweep/store.hpp"
#include "platform/studies/sweep/work.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace levee::sweep {

/// Returns the plan's valid runs that belong to the shard. Among runs with equal keys, only the
/// first counts.
[[nodiscard]] std::vector<std::size_t> runs_of(const Plan& plan, const Shard& shard);

/// Returns those of `runs` that have no record.
[[nodiscard]] std::vector<std::size_t> without_record(const std::vector<std::size_t>& runs,
                                                      const Plan& plan, const Store& store);

/// Executes the runs `which` of the plan, each in its own process, and records each when it ends.
/// `jobs` run at a time (0: number of processor cores). Running runs have their files in `scratch`.
/// Throws std::runtime_error if a result cannot be recorded.
void run_recorded(const Work& work, const Plan& plan, const std::vector<std::size_t>& which,
                  Store& store, const std::filesystem::path& scratch, unsigned jobs,
                  Announcer& announcer);

/// Like the function above, for a plan that grows. `next` is called whenever another run can start,
/// and returns the number of a run, or nothing. `ended` is called when a run has been recorded.
void run_recorded(const Work& work, const Plan& plan,
                  const std::function<std::optional<std::size_t>()>& next, Store& store,
                  const std::filesystem::path& scratch, unsigned jobs,
                  const std::function<void(std::size_t run)>& ended);

} // namespace levee::sweep
