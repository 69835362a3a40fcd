// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/sweep.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace levee::explore {

/// Options that override the study's `explore`.
struct Request : sweep::SweepRequest {
    std::optional<std::uint32_t> points;            ///< the budget
    std::optional<std::uint64_t> seed;              ///< seed of the optimiser
    std::optional<std::uint32_t> generation;        ///< points that are proposed together
    std::optional<std::filesystem::path> optimiser; ///< A Python file in place of the shipped one.
    bool in_flight = false; ///< A point is proposed whenever a run can begin.
};

/// Runs the study's named points and then, within the budget, points of its axes that an optimiser
/// proposes generation by generation. Writes the files of a sweep. The same study and seed give the
/// same files for any `jobs`; in flight, with shards or an executor, the same log of trials does.
/// Returns an exit code like run_sweep; throws config::Error or std::runtime_error for unusable
/// input.
int run_explore(const Request& request);

} // namespace levee::explore
