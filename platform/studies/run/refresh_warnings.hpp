// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"

#include <string>
#include <vector>

namespace levee {

/// What the refresh of a scenario's memories lets pass unseen: intervals beyond the end of a
/// retention curve, and, where nothing fails, intervals longer than cells hold without failures
/// (scenarios/tech/edram/retention_time.yaml). A memory that refreshes is one with `intervals`.
[[nodiscard]] std::vector<std::string> refresh_warnings(const config::Scenario& scenario);

} // namespace levee
