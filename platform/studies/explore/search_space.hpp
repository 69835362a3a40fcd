// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/study.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace levee::explore {

/// An axis, or several axes that change together, in the form that optimisers use.
struct Dimension {
    std::size_t values = 0; ///< number of values; 0: any fraction from 0 to below 1
    bool ordered = true;    ///< neighbouring values are similar; false: words without an order
};

/// All points that the axes of a study define.
class SearchSpace {
public:
    /// Both arguments must outlive this object. Throws config::Error for a study without axes or
    /// with a `sample`.
    SearchSpace(const sweep::Draft& draft, const config::ScenarioSource& source);

    [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }

    /// Returns the number of all combinations; nothing if a range is continuous, or if there are
    /// more than sweep::most_points.
    [[nodiscard]] std::optional<std::size_t> size() const;

    /// Returns the point at a place, which has a value's index or a fraction for each dimension.
    [[nodiscard]] sweep::Point at(const std::vector<double>& place) const;

    /// Returns the distinct combinations that satisfy `where`, if there are at most `most`;
    /// otherwise more than `most` of them. size() must have a value.
    [[nodiscard]] std::vector<sweep::Point> all(std::size_t most) const;

    [[nodiscard]] bool takes(const sweep::Point& point) const;

private:
    const sweep::Draft& draft_;
    const config::ScenarioSource& source_;
    sweep::Design design_; ///< the study's design; ranges with steps have become lists
    std::vector<Dimension> dimensions_;
};

/// Returns a text that identifies a point: its values on all axes.
[[nodiscard]] std::string identity(const sweep::Point& point);

} // namespace levee::explore
