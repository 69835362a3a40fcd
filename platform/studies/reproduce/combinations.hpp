// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/studies/sweep/check.hpp"
#include "platform/studies/sweep/points.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace levee::reproduce {

/// Axes by name. Each value of an axis is a named set of overrides.
using Axes = std::map<std::string, std::vector<sweep::Point>>;

/// A value for each name in `over:`, in the same order.
using Combination = std::vector<std::pair<std::string, std::string>>;

/// Reads the combinations of `over: {task: [pg19, la], model: all}`, where `all` means all values
/// of the axis. Without `over` there is one empty combination.
[[nodiscard]] std::vector<Combination> read_over(config::MapReader& reader, const Axes& axes);

/// Parses an expression after replacing each {name} by the combination's value.
[[nodiscard]] sweep::Expression parse_with(const config::Node& expression,
                                           const Combination& combination);

} // namespace levee::reproduce
