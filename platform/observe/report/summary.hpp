// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"

#include <string>
#include <vector>

namespace levee {

/// The few lines a run ends with. `memories`: whose traffic to show.
[[nodiscard]] std::string summary(const Results& results, const std::vector<std::string>& memories,
                                  const std::string& results_file);

} // namespace levee
