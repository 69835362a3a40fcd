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

/// A study whose points are added one by one, and the plan of their runs.
class Points {
public:
    /// The arguments must outlive it.
    Points(const sweep::Draft& draft, const config::ScenarioSource& source, const Request& request);

    /// Throws config::Error for an override that a point undoes, and for a duplicate name.
    void add(std::vector<sweep::Point> points);

    [[nodiscard]] const sweep::Study& study() const { return study_; }
    [[nodiscard]] const sweep::Plan& plan() const { return plan_; }
    [[nodiscard]] std::size_t runs_of_a_point() const;
    /// The plan's last runs, from the number `first` on.
    [[nodiscard]] sweep::Plan runs_from(std::size_t first) const;

    /// Runs the plan's runs from `first` on that have no record.
    void run(std::size_t first, const sweep::Work& work, sweep::Store& store,
             sweep::Announcer& announcer) const;
    /// Values of the points that these runs belong to.
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
};

} // namespace levee::explore
