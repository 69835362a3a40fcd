// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/explore/explore.hpp"
#include "platform/studies/explore/trials.hpp"
#include "platform/studies/sweep/plan.hpp"
#include "platform/studies/sweep/rows.hpp"
#include "platform/studies/sweep/runner.hpp"
#include "platform/studies/sweep/study.hpp"

#include <set>
#include <string>
#include <vector>

namespace levee::explore {

/// A study to which points are added step by step, and the plan of its runs.
class Points {
public:
    Points(const sweep::Draft& draft, const config::ScenarioSource& source, const Request& request);

    /// Throws config::Error if a point contradicts an override of the command line, or for a
    /// duplicate name.
    void add(std::vector<sweep::Point> points);

    [[nodiscard]] const sweep::Study& study() const { return study_; }
    /// Returns the points as they were added, without the overrides that all points have.
    [[nodiscard]] const std::vector<sweep::Point>& added() const { return added_; }
    [[nodiscard]] const sweep::Plan& plan() const { return plan_; }
    [[nodiscard]] std::size_t runs_of_a_point() const;
    /// Returns the part of the plan from run `first` on.
    [[nodiscard]] sweep::Plan runs_from(std::size_t first) const;

    /// Executes the plan's runs from run `first` on, except those that already have a record.
    void run(std::size_t first, const sweep::Work& work, sweep::Store& store,
             sweep::Announcer& announcer) const;
    /// Returns the objectives' values for each point of these runs.
    [[nodiscard]] std::vector<Values> values_of(const sweep::Plan& runs,
                                                const sweep::Store& store) const;

private:
    [[nodiscard]] Values values_of(const sweep::PointRow& row) const;

    const sweep::Draft& draft_;
    const Request& request_;
    sweep::Study study_;
    sweep::Plan plan_;
    sweep::Planner planner_;
    std::set<std::string> names_;
    std::vector<sweep::Point> added_;
};

} // namespace levee::explore
