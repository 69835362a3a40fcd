// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <optional>
#include <string_view>

namespace levee {

/// Finds the key of a scenario that a program's message names by its path, such as `workload.save`.
/// Returns the place of the first named key that the scenario gives, or of the map around it.
/// Returns nothing if the message names no such key.
[[nodiscard]] std::optional<config::Place> place_of_said_key(const config::Node& scenario,
                                                             std::string_view message);

} // namespace levee
