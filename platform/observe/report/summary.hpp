// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"

#include <string>
#include <vector>

namespace levee {

/// Returns the summary that is printed at the end of a run. `memories` are the memories whose
/// traffic it shows.
[[nodiscard]] std::string summary(const Results& results, const std::vector<std::string>& memories,
                                  const std::string& results_file);

} // namespace levee
