// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace levee {

struct CalibrationRequest {
    std::vector<std::filesystem::path> recordings;
    std::optional<std::filesystem::path> check; ///< statistics to hold to the recordings instead
};

/// Prints statistics of the recordings' decisions, as YAML; or what recorded and drawn decisions
/// lead to, line by line: figure, recorded, drawn, error. Returns the exit code. Throws
/// std::runtime_error for a file that cannot be used.
int calibrate_decisions(const CalibrationRequest& request);

} // namespace levee
