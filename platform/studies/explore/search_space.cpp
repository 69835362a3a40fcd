// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/explore/search_space.hpp"

#include "platform/studies/sweep/filter.hpp"

#include <algorithm>

namespace levee::explore {

namespace {

/// Returns whether an axis's values have an order, as numbers do.
bool has_order(const sweep::Axis& axis)
{
    return axis.range.has_value() ||
           std::all_of(axis.values.begin(), axis.values.end(),
                       [](const sweep::AxisValue& value) { return value.at.number.has_value(); });
}

void sort_values(sweep::Axis& axis)
{
    std::stable_sort(axis.values.begin(), axis.values.end(),
                     [](const auto& a, const auto& b) { return *a.at.number < *b.at.number; });
}

} // namespace

SearchSpace::SearchSpace(const sweep::Draft& draft, const config::ScenarioSource& source)
    : draft_(draft), source_(source), design_(draft.design)
{
    if (design_.axes.empty())
        throw config::Error(
            draft.place,
            "the study has no 'axes'; expected at least one, because points are proposed on axes");
    if (design_.sample)
        throw config::Error(draft.place, "the study has a 'sample', but an exploration chooses its "
                                         "points itself; expected no 'sample', or 'levee sweep'");
    for (const auto& group : design_.groups) {
        sweep::Axis& first = design_.axes[group[0]];
        const bool ordered = has_order(first);
        if (ordered && !first.range && group.size() == 1)
            sort_values(first);
        dimensions_.push_back({first.values.size(), ordered});
    }
    for (sweep::Axis& axis : design_.axes)
        if (!axis.values.empty())
            axis.range.reset(); // drawn() must choose one of the values
}

std::optional<std::size_t> SearchSpace::size() const
{
    std::size_t number = 1;
    for (const Dimension& dimension : dimensions_) {
        number *= dimension.values;
        if (number == 0 || number > sweep::most_points)
            return std::nullopt;
    }
    return number;
}

sweep::Point SearchSpace::at(const std::vector<double>& place) const
{
    constexpr double middle = 0.5; // Each index has an equal share of [0, 1); 0.5 selects the
                                   // share's middle.
    std::vector<double> fractions;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
        const auto values = static_cast<double>(dimensions_[i].values);
        fractions.push_back(values > 0 ? (place[i] + middle) / values : place[i]);
    }
    return sweep::drawn_point(design_, fractions);
}

std::vector<sweep::Point> SearchSpace::all(std::size_t most) const
{
    std::size_t taken = 0;
    return sweep::points_of(draft_.design, [&](const sweep::Point& point) {
        const bool counts = taken <= most && takes(point); // takes() is slow, since it composes a
                                                           // scenario
        taken += counts ? 1 : 0;
        return counts;
    });
}

bool SearchSpace::takes(const sweep::Point& point) const
{
    return sweep::Filter(draft_.where, draft_.study.axes, source_, draft_.common)(point);
}

std::string identity(const sweep::Point& point)
{
    std::string key;
    for (const sweep::Coordinate& at : point.at)
        key += at.label + '\n';
    return key;
}

} // namespace levee::explore
