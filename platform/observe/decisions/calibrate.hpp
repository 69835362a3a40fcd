// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace levee {

struct CalibrationRequest {
    std::vector<std::filesystem::path> recordings;
    std::optional<std::filesystem::path> check; ///< statistics to check against the recordings
};

/// Prints the statistics of the recordings' decisions as YAML, or, with `check`, compares the
/// figures that recorded and drawn decisions lead to, one per line: figure, recorded, drawn, error.
/// Returns the exit code. Throws std::runtime_error for a file that cannot be used.
int calibrate_decisions(const CalibrationRequest& request);

} // namespace levee
