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

/// Usable runs of the plan that belong to the shard; of equal ones only the first.
[[nodiscard]] std::vector<std::size_t> runs_of(const Plan& plan, const Shard& shard);

/// The items of `runs` without a record.
[[nodiscard]] std::vector<std::size_t> without_record(const std::vector<std::size_t>& runs,
                                                      const Plan& plan, const Store& store);

/// Runs the runs `which` of the plan, `jobs` at a time (0: number of cores), each in its own
/// process, and records each when it ends. `scratch` holds their files meanwhile. Throws
/// std::runtime_error if a result cannot be recorded.
void run_recorded(const Work& work, const Plan& plan, const std::vector<std::size_t>& which,
                  Store& store, const std::filesystem::path& scratch, unsigned jobs,
                  Announcer& announcer);

/// The same for a plan that grows: `next` returns the number of a run, or nothing, whenever another
/// can begin, and `ended` is called when a run has been recorded.
void run_recorded(const Work& work, const Plan& plan,
                  const std::function<std::optional<std::size_t>()>& next, Store& store,
                  const std::filesystem::path& scratch, unsigned jobs,
                  const std::function<void(std::size_t run)>& ended);

} // namespace levee::sweep
