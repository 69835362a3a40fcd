// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/boot_info.h"
#include "ip/common/decision_statistics.hpp"
#include "platform/input/config/node.hpp"

#include <cstdint>
#include <string>

namespace levee {

/// What statistics depend on: whether importance is a sum of "softmax" or "logit", or the policy
/// ("random", "streaming") that does not ask for it.
[[nodiscard]] std::string statistics_kind(const levee_kv_policy& policy);

/// Reads from the map of a file of scenarios/tech/decisions what it says of a kind and budget:
/// between two budgets it is interpolated, beyond the last it stays. Throws config::Error.
[[nodiscard]] DecisionStatistics read_statistics(const config::Node& node, const std::string& kind,
                                                 std::uint32_t budget);

} // namespace levee
