// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/sweep.hpp"

#include <cstdint>
#include <optional>

namespace levee::explore {

/// With those options that override the study's `explore`.
struct Request : sweep::StudyRequest {
    std::optional<std::uint32_t> points;     ///< the budget
    std::optional<std::uint64_t> seed;       ///< seed of the optimiser
    std::optional<std::uint32_t> generation; ///< points that are proposed together
};

/// Runs the study's named points, then as many points of its axes as the budget has, generation
/// after generation as an optimiser proposes them, and writes the files of a sweep. The same study
/// and seed give the same files, whatever `jobs` is. Returns an exit code as run_sweep does; throws
/// config::Error or std::runtime_error for anything that cannot be used.
int run_explore(const Request& request);

} // namespace levee::explore
