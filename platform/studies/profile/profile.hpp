// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::profile_export {

struct Request {
    std::string scenario;
    std::vector<std::string> overrides;
    bool allow_outside = false;
    std::filesystem::path out;
    std::string hardware, model; ///< names of folders; empty: names of the system and the scenario
    std::string variant;
    /// Numbers of sequences in a step; empty: 1, 2, 4, ... up to the workload's batch.
    std::vector<std::uint32_t> batches;
    /// Numbers of tokens in a prefill pass; empty: 16, 32, 64, ...
    std::vector<std::uint32_t> chunks;
    std::vector<std::uint32_t> contexts; ///< numbers of tokens in the cache; empty: 16, 32, 64, ...
    std::vector<std::string> unset;
    unsigned jobs = 0; ///< maximum number of runs at the same time; 0: number of processor cores
};

/// Writes a device's profile for cluster simulators (docs/timing_only.md). Returns an exit code.
/// Throws config::Error or std::runtime_error for a scenario in which the time of a pass depends on
/// other passes.
int export_profile(const Request& request);

} // namespace levee::profile_export
