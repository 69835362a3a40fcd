// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"
#include "platform/run/inputs.hpp"

#include <string>
#include <vector>

namespace levee {

/// Returns the warnings that follow from the scenario (docs/results.md, "Warnings"). They are in a
/// fixed order, and each occurs only once.
[[nodiscard]] std::vector<std::string> warnings_ahead(const RunInputs& inputs);

/// Returns the warnings that follow from the figures. Examples are a memory that holds more than is
/// installed, and components that the workload could have used but did not use. `results` must have
/// the figures of all components.
[[nodiscard]] std::vector<std::string> warnings_of(const RunInputs& inputs, const Results& results);

} // namespace levee
