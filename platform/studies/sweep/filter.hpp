// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/axes.hpp"
#include "platform/studies/sweep/condition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// Whether a point fulfils all conditions of a study. One whose scenario cannot be composed stays,
/// to be reported with its error. What it is made of must outlive it; `common` are the overrides of
/// every point.
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
