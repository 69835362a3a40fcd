// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decision_statistics.hpp"
#include "core/config/keys.hpp"
#include "core/config/node.hpp"
#include "firmware/policies/policies.h"

#include <cstdint>
#include <span>
#include <string>

namespace levee {

/// Kind of statistics: the importance on which evictions are based, a sum of "softmax" or "logit",
/// or a policy without importance ("random"; "rank" if random ranks are drawn once; "streaming").
/// `score` and `draw` are words of `kv_cache:`.
[[nodiscard]] std::string statistics_kind(const levee_kv_rule& policy, const std::string& score,
                                          const std::string& draw);

/// The declaration of a kind's statistics in a file of scenarios/tech/decisions.
[[nodiscard]] config::Key statistics_key(const char* kind);
/// Statistics of all kinds that a policy can ask for.
[[nodiscard]] std::span<const config::Key> statistics_keys();

/// Reads the whole of this map. Throws config::Error.
void check_statistics(const config::Node& node);

/// Reads the statistics for a kind and budget from the map of a file of scenarios/tech/decisions:
/// linear interpolation between two budgets, constant beyond the last. Throws config::Error.
[[nodiscard]] DecisionStatistics read_statistics(const config::Node& node, const std::string& kind,
                                                 std::uint32_t budget);

} // namespace levee
