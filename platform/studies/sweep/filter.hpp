// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/axes.hpp"
#include "platform/studies/sweep/condition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// Decides whether a point satisfies all conditions of a study. A point whose scenario cannot be
/// composed is accepted, so that its error is reported later. `common` are the overrides of all
/// points. All arguments must outlive the filter.
class Filter {
public:
    Filter(const std::vector<Condition>& conditions, const std::vector<Axis>& axes,
           const config::ScenarioSource& source, const std::vector<std::string>& common)
        : conditions_(conditions), axes_(axes), source_(source), common_(common)
    {
    }

    bool operator()(const Point& point) const;

private:
    bool compose(const Point& point, std::optional<config::Node>& tree) const;

    const std::vector<Condition>& conditions_;
    const std::vector<Axis>& axes_;
    const config::ScenarioSource& source_;
    const std::vector<std::string>& common_;
};

} // namespace levee::sweep
