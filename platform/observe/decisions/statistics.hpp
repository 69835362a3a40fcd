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

/// Returns the kind of statistics that a policy needs. For evictions by importance, it is the
/// importance's word, "softmax" or "logit". For other policies, it is "random", "rank" (one
/// random rank per token) or "streaming". `score` and `draw` are values of keys of
/// `kv_cache:`.
[[nodiscard]] std::string statistics_kind(const levee_kv_rule& policy, const std::string& score,
                                          const std::string& draw);

/// Returns the declaration of one kind of statistics in a file of scenarios/tech/decisions.
[[nodiscard]] config::Key statistics_key(const char* kind);
/// Returns the declarations of all kinds that a policy can need.
[[nodiscard]] std::span<const config::Key> statistics_keys();

/// Checks the statistics of all kinds. Throws config::Error.
void check_statistics(const config::Node& node);

/// Reads the statistics of a kind for a budget from a file of scenarios/tech/decisions. Between two
/// budgets of the file, values are interpolated linearly. Outside the file's budgets, the nearest
/// values apply. Throws config::Error.
[[nodiscard]] DecisionStatistics read_statistics(const config::Node& node, const std::string& kind,
                                                 std::uint32_t budget);

} // namespace levee
