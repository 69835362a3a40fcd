// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/condition.hpp"
#include "platform/studies/sweep/points.hpp"
#include "platform/studies/sweep/range.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

struct AxisValue {
    Coordinate at;
    std::vector<std::string> overrides;
};

/// An axis of a study, which is a column of its table.
struct Axis {
    enum class Kind { Labels, List, Range };

    std::string name;
    Kind kind = Kind::Labels;
    std::vector<std::string> keys; ///< keys of the scenario that each value sets; empty for Labels
    std::string unit;              ///< SI unit of the numbers; empty for plain numbers and texts
    std::vector<AxisValue> values; ///< empty: a range without steps, from which values can only be
                                   ///< drawn
    std::optional<Range> range;
    std::optional<Condition> only_if; ///< in points that violate it, the axis sets no key
    config::Place place;

    /// Maps a fraction, from 0 to below 1, to a value of the axis.
    [[nodiscard]] AxisValue drawn(double fraction) const;
};

/// Reads an axis (docs/sweeps.md): labels with overrides, a list of values, or a range. Its
/// `only_if` may name the axes in `before`.
[[nodiscard]] Axis read_axis(const config::Node::Entry& entry,
                             const std::vector<std::string>& before);

} // namespace levee::sweep
