// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/explore/points.hpp"

#include <algorithm>
#include <utility>

namespace levee::explore {

namespace {

sweep::Study without_points(sweep::Study study, const Request& request)
{
    study.keep = study.keep || request.keep;
    study.points.clear();
    return study;
}

} // namespace

Points::Points(const sweep::Draft& draft, const config::ScenarioSource& source,
               const Request& request)
    : draft_(draft), request_(request), study_(without_points(draft.study, request)),
      planner_(study_, source)
{
}

void Points::add(std::vector<sweep::Point> points)
{
    sweep::refuse_varied(request_.overrides, points);
    for (const sweep::Point& point : points)
        if (!names_.insert(point.name).second)
            throw config::Error(draft_.place, "two points are called '" + point.name +
                                                  "'; expected different names");
    added_.insert(added_.end(), points.begin(), points.end());
    sweep::add_points(study_, std::move(points), draft_.common);
    planner_.extend(plan_);
}

std::size_t Points::runs_of_a_point() const
{
    return std::max<std::size_t>(1, study_.seeds.size());
}

sweep::Plan Points::runs_from(std::size_t first) const
{
    sweep::Plan last;
    last.runs.assign(plan_.runs.begin() + static_cast<std::ptrdiff_t>(first), plan_.runs.end());
    return last;
}

void Points::run(std::size_t first, const sweep::Work& work, sweep::Store& store,
                 sweep::Announcer& announcer) const
{
    const sweep::Plan fresh = runs_from(first);
    const std::vector<std::size_t> left =
        sweep::without_record(sweep::runs_of(fresh, sweep::Shard{}), fresh, store);
    announcer.ended(fresh.runs.size() - left.size());
    sweep::run_recorded(work, fresh, left, store, sweep::scratch_folder(work.out, sweep::Shard{}),
                        request_.jobs, announcer);
}

std::vector<Values> Points::values_of(const sweep::Plan& runs, const sweep::Store& store) const
{
    const auto find = [&](const std::string& key) { return store.find(key); };
    std::vector<Values> values;
    for (const sweep::PointRow& row : sweep::point_rows(sweep::rows_of(runs, study_, find), study_))
        values.push_back(values_of(row));
    return values;
}

/// Returns the values of a point's objectives; nothing if the point failed or lacks a figure.
Values Points::values_of(const sweep::PointRow& row) const
{
    std::vector<double> values;
    for (const sweep::Objective& objective : study_.objectives)
        if (const auto* figure = std::get_if<double>(&row.cells[objective.column]))
            values.push_back(objective.maximize ? *figure : -*figure);
    return values.size() == study_.objectives.size() ? Values(values) : std::nullopt;
}

} // namespace levee::explore
