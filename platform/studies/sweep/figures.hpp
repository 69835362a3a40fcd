// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/points.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <variant>

namespace levee::sweep {

/// Value of a column in one run; empty if the run lacks the figure.
using Cell = std::variant<std::monostate, double, std::string>;

/// The range of a figure that prices leave open.
struct Interval {
    double low = 0.0, high = 0.0;
};

/// Adds texts derived from a run's figures. `bounds.<phase>.bound_by` is the resource with the
/// largest `roofline.<phase>.<resource>.binds_seconds`. `bound_by` is that of the decode phase,
/// otherwise of the prefill, otherwise of the phase that exists.
void add_texts(nlohmann::json& metrics);

/// A column's value; a text is neither scaled nor divided.
[[nodiscard]] Cell cell_of(const nlohmann::json& metrics, const Column& column);

/// Bounds of the value by `<metric>.low` and `<metric>.high`, also of its divisor; nothing if a run
/// has neither.
[[nodiscard]] std::optional<Interval> interval_of(const nlohmann::json& metrics,
                                                  const Column& column);

} // namespace levee::sweep
