// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/study.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace levee::explore {

/// An axis, or axes that step together, as an optimiser sees it.
struct Dimension {
    std::size_t values = 0; ///< 0: any fraction from 0 to below 1
    bool ordered = true;    ///< neighbours are alike; false: words without an order
};

/// The points that the axes of a study can make.
class SearchSpace {
public:
    /// Both must outlive the object. Throws config::Error for a study that determines its points
    /// itself.
    SearchSpace(const sweep::Draft& draft, const config::ScenarioSource& source);

    [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }

    /// Number of all combinations; nothing if a range is continuous, or if there are more than
    /// sweep::most_points.
    [[nodiscard]] std::optional<std::size_t> size() const;

    /// The point at a place: by dimension the index of a value, or a fraction.
    [[nodiscard]] sweep::Point at(const std::vector<double>& place) const;

    /// Distinct combinations that satisfy `where`: all if there are at most `most`, otherwise more
    /// than `most`. Requires size() to have a value.
    [[nodiscard]] std::vector<sweep::Point> all(std::size_t most) const;

    /// Whether the point satisfies `where`.
    [[nodiscard]] bool takes(const sweep::Point& point) const;

private:
    const sweep::Draft& draft_;
    const config::ScenarioSource& source_;
    sweep::Design design_; ///< design of the study; a range with steps is a list here
    std::vector<Dimension> dimensions_;
};

/// The identity of a point: its values on all axes.
[[nodiscard]] std::string identity(const sweep::Point& point);

} // namespace levee::explore
