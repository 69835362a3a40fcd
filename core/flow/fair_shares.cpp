// SPDX-License-Identifier: Apache-2.0
#include "core/flow/fair_shares.hpp"

#include <algorithm>

namespace levee {

namespace {

/// Relative tolerance: smaller differences are rounding errors.
constexpr double rounding = 1e-12;
/// Limit on the iterations that bring the upper and lower bounds together. Each iteration at least
/// halves their distance, even if two activities limit each other strongly. The remaining capacity
/// of each resource is then allocated in order.
constexpr int most_rounds = 40;
/// Limit on how often a scheduling resource is called.
constexpr int most_schedules = 4;

} // namespace

void FairShares::add(Activity& activity)
{
    const std::size_t index = activities_.size();
    activities_.push_back(&activity);
    for (const FlowUse& use : activity.uses) {
        if (use.bytes == 0)
            continue;
        Shared& shared = shared_[index_of(use.resource)];
        const auto bytes = static_cast<double>(use.bytes);
        if (shared.loads.empty() || shared.loads.back().activity != index)
            shared.loads.push_back(Load{index, 0.0, 0.0, unlimited, false});
        shared.loads.back().bytes += bytes;
        shared.mix.push_back(&use);
        shared.demand.push_back(StreamDemand{bytes * own_pace(index), 0});
        shared.load_of.push_back(shared.loads.size() - 1);
        shared.is_stale = true;
    }
}

void FairShares::remove(const Activity& activity)
{
    const auto at = std::find(activities_.begin(), activities_.end(), &activity);
    const auto index = static_cast<std::size_t>(at - activities_.begin());
    activities_.erase(at);
    for (Shared& shared : shared_) {
        if (shared.loads.empty() || shared.loads.back().activity < index)
            continue; // Loads are in the order of the activities.
        drop_streams(shared, index);
        for (Load& load : shared.loads)
            load.activity -= load.activity > index ? 1 : 0;
    }
}

void FairShares::drop_streams(Shared& shared, std::size_t activity)
{
    const auto load = std::find_if(shared.loads.begin(), shared.loads.end(),
                                   [&](const Load& l) { return l.activity == activity; });
    if (load == shared.loads.end())
        return;
    const auto number = static_cast<std::size_t>(load - shared.loads.begin());
    shared.loads.erase(load);
    std::size_t kept = 0;
    for (std::size_t u = 0; u < shared.mix.size(); ++u) {
        if (shared.load_of[u] == number)
            continue;
        shared.mix[kept] = shared.mix[u];
        shared.demand[kept] = shared.demand[u];
        shared.load_of[kept] = shared.load_of[u] - (shared.load_of[u] > number ? 1 : 0);
        ++kept;
    }
    shared.mix.resize(kept);
    shared.demand.resize(kept);
    shared.load_of.resize(kept);
    shared.is_stale = true;
}

void FairShares::assign(Picoseconds now)
{
    price_stale(now);
    list_resources();
    bool settled = find_levels();
    for (int asked = 0; asked < most_schedules && schedule(now, asked == 0); ++asked)
        settled = find_levels();
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        const bool by_itself = own_pace(i) <= limits_[i].lowest;
        activities_[i]->speed = by_itself ? own_pace(i) : limits_[i].lowest;
        activities_[i]->bound_by = by_itself ? nullptr : shared_[limits_[i].resource].resource;
    }
    hold_to_schedules();
    if (!settled)
        give_what_is_left();
    for (std::size_t i = 0; i < activities_.size(); ++i)
        activities_[i]->refresh_share = refresh_share(i);
}

void FairShares::price_stale(Picoseconds now)
{
    for (Shared& shared : shared_) {
        if (shared.resource->schedules() != shared.schedules)
            change_manner(shared, now);
        if (shared.schedules) {
            if (shared.is_stale && shared.mix.empty())
                shared.resource->schedule(now, {});
            for (Load& load : shared.loads)
                load.most = unlimited;
            shared.is_stale = false;
        } else if (shared.is_stale ||
                   (!shared.mix.empty() && shared.state != shared.resource->price_state())) {
            price(shared);
        }
    }
}

/// Called when a resource has started, or ceased, to schedule its streams.
void FairShares::change_manner(Shared& shared, Picoseconds now)
{
    if (shared.schedules)
        shared.resource->schedule(now, {});
    else
        shared.resource->price({}, {}, {});
    shared.schedules = !shared.schedules;
    shared.is_stale = true;
    for (Load& load : shared.loads)
        load = Load{load.activity, load.bytes, 0.0, unlimited, false};
}

/// Computes an allocation in low_, and the speeds that it permits in limits_. Returns true if no
/// capacity is left.
bool FairShares::find_levels()
{
    high_.assign(shared_.size(), unlimited);
    answer(high_, low_);
    bool settled = false;
    for (int round = 0; round < most_rounds && !settled; ++round) {
        answer(low_, high_);
        settled = same_speeds(high_);
        if (!settled)
            answer(high_, low_);
    }
    if (!settled)
        limits(low_, limits_);
    return settled;
}

/// Calls the resources that schedule, if paces have changed since their last call. Returns true if
/// any was called.
bool FairShares::schedule(Picoseconds now, bool first)
{
    bool asked = false;
    for (const std::size_t index : listed_) {
        Shared& shared = shared_[index];
        if (!shared.schedules || !set_paces(index, first))
            continue;
        asked = true;
        shared.resource->schedule(now, shared.scheduled);
        for (Load& load : shared.loads) {
            load.most = unlimited;
            load.is_bound = false;
        }
        for (std::size_t u = 0; u < shared.mix.size(); ++u) {
            const ScheduledStream& stream = shared.scheduled[u];
            Load& load = shared.loads[shared.load_of[u]];
            if (stream.ends_in > 0.0)
                load.most = std::min(load.most, stream.remaining / stream.ends_in);
            load.is_bound |= stream.is_bound;
        }
    }
    return asked;
}

/// Sets the paces of a resource's streams from limits_. Returns true if one has changed.
bool FairShares::set_paces(std::size_t resource, bool first)
{
    Shared& shared = shared_[resource];
    shared.scheduled.resize(shared.mix.size());
    bool others = first;
    for (std::size_t u = 0; u < shared.mix.size(); ++u) {
        const Load& load = shared.loads[shared.load_of[u]];
        const Limit& held = limits_[load.activity];
        const double elsewhere = held.resource == resource ? held.second : held.lowest;
        const double pace = std::min(own_pace(load.activity), elsewhere) *
                            static_cast<double>(shared.mix[u]->bytes);
        ScheduledStream& stream = shared.scheduled[u];
        // If this resource limits a stream, a higher pace at other resources does not make the
        // stream faster.
        others |= pace < stream.bytes_per_ps * (1.0 - other_pace) ||
                  (!load.is_bound && pace > stream.bytes_per_ps * (1.0 + other_pace));
        stream = ScheduledStream{
            shared.mix[u], load.activity, activities_[load.activity]->remaining, pace, 0.0, false};
    }
    return others;
}

/// Sets each activity's speed so that the activity ends at the latest end that its resources have
/// scheduled. The speed is a mean: the activity may wait in between.
void FairShares::hold_to_schedules()
{
    holds_until_ = forever;
    is_scheduled_.assign(activities_.size(), false);
    for (const std::size_t index : listed_) {
        if (!shared_[index].schedules)
            continue;
        holds_until_ = std::min(holds_until_, shared_[index].resource->holds_until());
        for (const Load& load : shared_[index].loads) {
            double& speed = activities_[load.activity]->speed;
            speed = is_scheduled_[load.activity] ? std::min(speed, load.most) : load.most;
            is_scheduled_[load.activity] = true;
        }
    }
}

/// Returns the speed of an activity if a resource has this level.
double FairShares::speed_at(std::size_t resource, const Load& load, double level) const
{
    if (!shared_[resource].schedules)
        return level / load.bytes;
    return load.is_bound ? load.most : unlimited;
}

std::size_t FairShares::index_of(FlowResource* resource)
{
    std::size_t& likely =
        likely_[reinterpret_cast<std::uintptr_t>(resource) / sizeof(void*) % likely_.size()];
    if (likely < resources_.size() && resources_[likely] == resource)
        return likely;
    const auto at = std::find(resources_.begin(), resources_.end(), resource);
    likely = static_cast<std::size_t>(at - resources_.begin());
    if (at != resources_.end())
        return likely;
    resources_.push_back(resource);
    shared_.push_back(Shared{resource, {}, {}, {}, {}, {}, {}});
    shared_.back().schedules = resource->schedules();
    return shared_.size() - 1;
}

/// Lists the resources in use, in the order of the activities' uses. If several limit an activity
/// equally, the first one counts as its limit.
void FairShares::list_resources()
{
    listed_.clear();
    for (const Activity* activity : activities_)
        for (const FlowUse& use : activity->uses) {
            if (use.bytes == 0)
                continue;
            const std::size_t index = index_of(use.resource);
            if (!shared_[index].is_listed)
                listed_.push_back(index);
            shared_[index].is_listed = true;
        }
    for (const std::size_t index : listed_)
        shared_[index].is_listed = false;
}

void FairShares::price(Shared& shared)
{
    shared.price.assign(shared.mix.size(), 0.0);
    for (std::size_t u = 0; u < shared.mix.size(); ++u)
        shared.demand[u].activity = shared.load_of[u];
    shared.resource->price(shared.mix, shared.demand, shared.price);
    shared.is_stale = false;
    shared.state = shared.resource->price_state();
    for (Load& load : shared.loads)
        load.service_ps = 0.0;
    for (std::size_t u = 0; u < shared.mix.size(); ++u)
        shared.loads[shared.load_of[u]].service_ps +=
            static_cast<double>(shared.mix[u]->bytes) * shared.price[u];
}

void FairShares::limits(const Levels& levels, std::vector<Limit>& result) const
{
    result.assign(activities_.size(), Limit{unlimited, unlimited, 0});
    for (const std::size_t index : listed_)
        for (const Load& load : shared_[index].loads) {
            const double speed = speed_at(index, load, levels[index]);
            Limit& limit = result[load.activity];
            if (speed < limit.lowest)
                limit = Limit{speed, limit.lowest, index};
            else if (speed < limit.second)
                limit.second = speed;
        }
}

/// Computes the level of every resource in `result`, if `levels` are the levels of the other
/// resources.
void FairShares::answer(const Levels& levels, Levels& result)
{
    limits(levels, limits_);
    result.resize(shared_.size());
    for (const std::size_t index : listed_)
        result[index] = shared_[index].schedules ? unlimited : level_of(index);
}

/// Level of one resource after max-min division; infinity if its activities do not saturate it.
double FairShares::level_of(std::size_t resource)
{
    demands_.clear();
    for (const Load& load : shared_[resource].loads) {
        const Limit& held = limits_[load.activity];
        const double elsewhere = held.resource == resource ? held.second : held.lowest;
        const double speed = std::min(own_pace(load.activity), elsewhere);
        const Demand demand{speed * load.bytes, load.service_ps / load.bytes};
        // Insertion sort by size, the fastest for a few elements.
        auto at = demands_.end();
        while (at != demands_.begin() && demand.bytes_per_ps < (at - 1)->bytes_per_ps)
            --at;
        demands_.insert(at, demand);
    }
    double spare = 1.0;
    for (std::size_t i = 0; i < demands_.size(); ++i) {
        double price = 0.0;
        for (std::size_t j = i; j < demands_.size(); ++j)
            price += demands_[j].ps_per_byte;
        const double level = spare / price;
        if (demands_[i].bytes_per_ps > level)
            return level;
        spare -= demands_[i].bytes_per_ps * demands_[i].ps_per_byte;
    }
    return spare > rounding ? unlimited : demands_.back().bytes_per_ps;
}

double FairShares::own_pace(std::size_t activity) const
{
    const Picoseconds minimum = activities_[activity]->minimum;
    return minimum == 0 ? unlimited : 1.0 / static_cast<double>(minimum);
}

/// Whether refresh takes time of the resource that limits an activity.
bool FairShares::is_refreshed(std::size_t activity) const
{
    if (activities_[activity]->bound_by == nullptr)
        return false;
    const Shared& shared = shared_[limits_[activity].resource];
    const auto load = std::ranges::find(shared.loads, activity, &Load::activity);
    return load->service_ps != 0.0 && refresh_service(shared, activity) > 0.0;
}

/// Fraction of its time that an activity would save if its limiting resource needed no refresh and
/// other activities did not change.
double FairShares::refresh_share(std::size_t activity) const
{
    if (!is_refreshed(activity))
        return 0.0;
    const Activity& held = *activities_[activity];
    double without = own_pace(activity);
    for (const std::size_t index : listed_) {
        const Shared& shared = shared_[index];
        double others = 0.0, own = 0.0;
        for (const Load& load : shared.loads)
            if (load.activity == activity)
                own += load.service_ps, without = std::min(without, load.most);
            else
                others += activities_[load.activity]->speed * load.service_ps;
        if (own == 0.0)
            continue;
        const double refresh = refresh_service(shared, activity);
        without = std::min(without, std::max(1.0 - others, 0.0) / (own - refresh));
    }
    return without > held.speed ? 1.0 - held.speed / without : 0.0;
}

/// The part of an activity's service time on a resource that is due to refresh.
double FairShares::refresh_service(const Shared& shared, std::size_t activity)
{
    double service = 0.0;
    for (std::size_t u = 0; u < shared.mix.size(); ++u)
        if (shared.loads[shared.load_of[u]].activity == activity)
            service += shared.resource->refresh_share(*shared.mix[u]) *
                       static_cast<double>(shared.mix[u]->bytes) * shared.price[u];
    return service;
}

/// Whether the levels `high` give activities the same speeds as limits_.
bool FairShares::same_speeds(const Levels& high)
{
    limits(high, other_limits_);
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        const double slow = std::min(own_pace(i), limits_[i].lowest);
        const double fast = std::min(own_pace(i), other_limits_[i].lowest);
        if (fast > slow * (1.0 + rounding))
            return false;
    }
    return true;
}

/// Allocates each resource's remaining capacity to activities whose bounds have not converged.
void FairShares::give_what_is_left()
{
    std::vector<double> spare(shared_.size(), 1.0);
    for (const std::size_t index : listed_)
        for (const Load& load : shared_[index].loads)
            spare[index] -= activities_[load.activity]->speed * load.service_ps;
    const auto each_load_of = [this](std::size_t activity, auto visit) {
        for (const std::size_t index : listed_)
            for (const Load& load : shared_[index].loads)
                if (load.activity == activity)
                    visit(index, load);
    };
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        Activity& activity = *activities_[i];
        double more = own_pace(i) - activity.speed;
        each_load_of(i, [&](std::size_t index, const Load& load) {
            more = std::min(more, shared_[index].schedules ? load.most - activity.speed
                                                           : spare[index] / load.service_ps);
        });
        if (!(more > 0.0))
            continue;
        activity.speed += more;
        each_load_of(i, [&](std::size_t index, const Load& load) {
            spare[index] -= more * load.service_ps;
        });
    }
}

} // namespace levee
