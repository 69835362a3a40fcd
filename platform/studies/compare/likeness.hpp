// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/results_folder.hpp"

#include <string>
#include <vector>

namespace levee::compare {

/// Returns sentences that say why figures of these runs cannot be compared directly. Reasons are
/// different price lists or number formats, and components whose price or area only some lists
/// have.
[[nodiscard]] std::vector<std::string> unlike(const std::vector<RunResults>& runs);

} // namespace levee::compare
