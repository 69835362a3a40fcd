// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace levee {

struct CalibrationRequest {
    std::vector<std::filesystem::path> recordings;
    std::optional<std::filesystem::path> check;
};

/// Prints the recordings' statistics as YAML. With `check`, instead compares recorded with drawn
/// decisions, and prints a line per figure: name, recorded value, drawn value, error. Returns the
/// exit code. Throws std::runtime_error for a file that cannot be used.
int calibrate_decisions(const CalibrationRequest& request);

} // namespace levee
