// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/results_folder.hpp"

#include <string>
#include <vector>

namespace levee::compare {

/// Returns sentences that say why figures of these runs cannot be compared directly. Reasons are
/// different price lists, overlapping ranges of energies, different number formats, and components
/// whose price or area is missing in some runs only.
[[nodiscard]] std::vector<std::string> unlike(const std::vector<RunResults>& runs);

} // namespace levee::compare
