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
    std::string hardware, model; ///< folders; empty: names of the system and the scenario
    std::string variant;
    /// Numbers of entries in a step; empty: 1, 2, 4, ... up to the workload's number.
    std::vector<std::uint32_t> batches;
    /// Numbers of tokens in a prefill pass; empty: 16, 32, 64, ...
    std::vector<std::uint32_t> chunks;
    std::vector<std::uint32_t> contexts; ///< numbers of tokens in the cache; empty: 16, 32, 64, ...
    std::vector<std::string> unset; ///< keys of the workload that are left out in a measurement
    unsigned jobs = 0;              ///< Number of simultaneous runs; 0: number of cores.
};

/// Writes a device's profile for cluster simulators (docs/timing_only.md). Returns an exit code.
/// Throws config::Error or std::runtime_error for a scenario whose passes have no independent
/// times.
int export_profile(const Request& request);

} // namespace levee::profile_export
