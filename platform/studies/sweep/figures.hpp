// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/points.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <variant>

namespace levee::sweep {

/// A column's value in one run; nothing if the run lacks the figure.
using Cell = std::variant<std::monostate, double, std::string>;

/// The range of a figure with uncertain prices.
struct Interval {
    double low = 0.0, high = 0.0;
};

/// Adds texts that follow from a run's figures. `bounds.<phase>.bound_by` is the resource with the
/// largest `roofline.<phase>.<resource>.binds_seconds`. `bound_by` is the same for the decode phase
/// if there is one, or else for the prefill, or else for the other phase.
void add_texts(nlohmann::json& metrics);

/// Returns a column's value. A text is neither scaled nor divided.
[[nodiscard]] Cell cell_of(const nlohmann::json& metrics, const Column& column);

/// Returns the range of the value, from `<metric>.low` and `<metric>.high` of the figure and its
/// divisor; nothing if the run has neither.
[[nodiscard]] std::optional<Interval> interval_of(const nlohmann::json& metrics,
                                                  const Column& column);

} // namespace levee::sweep
