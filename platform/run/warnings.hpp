// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"
#include "platform/run/inputs.hpp"

#include <string>
#include <vector>

namespace levee {

/// Warnings that follow from the scenario (docs/results.md, "Warnings"): in a fixed order, each
/// text once.
[[nodiscard]] std::vector<std::string> warnings_ahead(const RunInputs& inputs);

/// Warnings that follow from the figures: a memory that holds more than is installed, and
/// components that the workload could have used but has not. Needs the figures of all components.
[[nodiscard]] std::vector<std::string> warnings_of(const RunInputs& inputs, const Results& results);

} // namespace levee
