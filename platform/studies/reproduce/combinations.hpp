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

/// Axes by name, each with its values' overrides.
using Axes = std::map<std::string, std::vector<sweep::Point>>;

/// A value for each of the names of an `over:`, in its order.
using Combination = std::vector<std::pair<std::string, std::string>>;

/// The combinations of `over: {task: [pg19, la], model: all}`; `all` are the values of the axis of
/// that name. One empty combination without `over`.
[[nodiscard]] std::vector<Combination> read_over(config::MapReader& reader, const Axes& axes);

/// Expression in which {name} is replaced by the combination's value.
[[nodiscard]] sweep::Expression parse_with(const config::Node& expression,
                                           const Combination& combination);

} // namespace levee::reproduce
