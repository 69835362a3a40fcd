// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/sweep.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace levee::explore {

/// The command's options. Some of them override the study's `explore`.
struct Request : sweep::SweepRequest {
    std::optional<std::uint32_t> points; ///< number of points to run
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> generation;        ///< number of points proposed at a time
    std::optional<std::filesystem::path> optimiser; ///< a Python file that replaces the shipped
                                                    ///< optimiser
    bool in_flight = false;                         ///< propose a point whenever a run can start
};

/// Runs the points that the study names and then, within the budget, points of its axes that an
/// optimiser proposes in generations. Writes the same files as a sweep. For a given study and seed
/// the files are the same, whatever `jobs` is. With points in flight, with shards or with an
/// executor, they are the same for the same log of trials. Returns an exit code like run_sweep().
/// Throws config::Error or std::runtime_error for input that cannot be used.
int run_explore(const Request& request);

} // namespace levee::explore
