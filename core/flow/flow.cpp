// SPDX-License-Identifier: Apache-2.0
#include "core/flow/flow.hpp"

#include "core/flow/fair_shares.hpp"

#include <algorithm>
#include <cmath>

namespace levee {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Tolerance for rounding errors: this fraction of a picosecond counts as zero.
constexpr double rounding_ps = 1e-3;

/// Smallest remaining fraction of an activity that has not ended. This fraction takes no time at
/// any speed, but is positive. Otherwise repeated delays at the very end of an activity could round
/// the fraction to 0.
constexpr double least_remaining = 0x1p-500;

} // namespace

FlowNetwork::FlowNetwork() : shares_(std::make_unique<FairShares>()) {}

FlowNetwork::~FlowNetwork() = default;

std::span<Activity* const> FlowNetwork::running() const
{
    return shares_->activities();
}

void FlowNetwork::start(Activity& activity, Picoseconds now)
{
    settle(now);
    activity.remaining = 1.0;
    activity.settled_at = now;
    shares_->add(activity);
    solve(now);
}

void FlowNetwork::finish_due(Picoseconds now, const std::function<void(Activity&)>& done)
{
    if (next_event() > now)
        return;
    std::vector<Activity*> due;
    for (Activity* activity : running())
        if (activity->completes_at <= now)
            due.push_back(activity);
    settle(now);
    for (Activity* activity : due) {
        shares_->remove(*activity);
        activity->remaining = 0.0;
    }
    solve(now);
    for (Activity* activity : due)
        done(*activity);
}

void FlowNetwork::cancel(Activity& activity, Picoseconds now)
{
    if (std::find(running().begin(), running().end(), &activity) == running().end())
        return;
    settle(now);
    shares_->remove(activity);
    solve(now);
}

Picoseconds FlowNetwork::next_event() const
{
    Picoseconds next = shares_->holds_until();
    for (const Activity* activity : running())
        next = std::min(next, activity->completes_at);
    return next;
}

double FlowNetwork::progress(const Activity& activity, Picoseconds now)
{
    if (now == activity.settled_at)
        return 1.0 - activity.remaining;
    const auto elapsed = static_cast<double>(now - activity.settled_at);
    return 1.0 - std::max(0.0, activity.remaining - elapsed * activity.speed);
}

Picoseconds FlowNetwork::reaches(const Activity& activity, double share)
{
    const double to_go = std::max(0.0, share - 1.0 + activity.remaining);
    if (to_go == 0.0 || activity.speed == unlimited)
        return activity.settled_at;
    const double ps = std::ceil(to_go / activity.speed - rounding_ps);
    if (ps >= static_cast<double>(forever - activity.settled_at))
        return forever;
    return activity.settled_at + static_cast<Picoseconds>(std::max(0.0, ps));
}

void FlowNetwork::settle(Picoseconds now)
{
    for (Activity* activity : running()) {
        activity->remaining = std::max(least_remaining, 1.0 - progress(*activity, now));
        activity->settled_at = now;
    }
}

void FlowNetwork::solve(Picoseconds now)
{
    shares_->assign(now);
    for (Activity* activity : running())
        activity->completes_at = activity->speed == unlimited ? now : reaches(*activity, 1.0);
}

} // namespace levee
