// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/condition.hpp"
#include "platform/studies/sweep/points.hpp"
#include "platform/studies/sweep/range.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// One value of an axis.
struct AxisValue {
    Coordinate at;
    std::vector<std::string> overrides;
};

/// An axis of a study: a column of its table.
struct Axis {
    enum class Kind { Labels, List, Range };

    std::string name;
    Kind kind = Kind::Labels;
    std::vector<std::string> keys; ///< keys of the scenario that a value sets; empty: Labels
    std::string unit;              ///< unit of numbers, SI; empty: plain numbers or texts
    std::vector<AxisValue> values; ///< empty: a range without steps, which can only be drawn from
    std::optional<Range> range;
    std::optional<Condition> only_if; ///< Condition for the axis; elsewhere it sets nothing.
    config::Place place;

    /// The value that a fraction from 0 to below 1 draws.
    [[nodiscard]] AxisValue drawn(double fraction) const;
};

/// Reads an axis (docs/sweeps.md): labels with overrides, a list of values, or a range. `before`:
/// names of the axes that its `only_if` may name.
[[nodiscard]] Axis read_axis(const config::Node::Entry& entry,
                             const std::vector<std::string>& before);

} // namespace levee::sweep
