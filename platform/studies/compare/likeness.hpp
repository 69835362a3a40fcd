// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/results_folder.hpp"

#include <string>
#include <vector>

namespace levee::compare {

/// Reasons why figures of these runs cannot be compared directly, one sentence each: other price
/// lists, other number formats, components that only some lists price, areas that only some know.
[[nodiscard]] std::vector<std::string> unlike(const std::vector<RunResults>& runs);

} // namespace levee::compare
