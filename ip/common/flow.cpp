#include "ip/common/flow.hpp"

#include <algorithm>
#include <cmath>

namespace levee {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();

/// What one activity puts on one resource.
struct Load {
    std::size_t activity;
    double bytes;      // of the whole activity
    double service_ps; // of the whole activity
};

struct SharedResource {
    FlowResource* resource;
    std::vector<Load> loads;
    double spare = 1.0;              // service not yet given away
    double bytes_per_ps = unlimited; // what each undecided activity would get of it
};

double own_speed_limit(const Activity& activity)
{
    return activity.minimum == 0 ? unlimited : 1.0 / static_cast<double>(activity.minimum);
}

/// Progressive filling (max-min fairness): the tightest share is fixed, its service taken away, and
/// the rest divided again.
class Filling {
public:
    explicit Filling(std::span<Activity* const> activities)
        : activities_(activities), decided_(activities.size(), false)
    {
        for (std::size_t i = 0; i < activities_.size(); ++i)
            for (const FlowUse& use : activities_[i]->uses)
                if (use.bytes > 0)
                    resource_of(use.resource);
        for (SharedResource& shared : shared_)
            price(shared);
    }

    void run()
    {
        for (std::size_t left = activities_.size(); left > 0;) {
            share_out();
            std::size_t decided = decide_limited_by_themselves();
            if (decided == 0)
                decided = decide_tightest_resource();
            if (decided == 0)
                decided = decide_slowest();
            left -= decided;
        }
    }

private:
    SharedResource& resource_of(FlowResource* resource)
    {
        for (SharedResource& shared : shared_)
            if (shared.resource == resource)
                return shared;
        return shared_.emplace_back(SharedResource{resource, {}});
    }

    void price(SharedResource& shared)
    {
        std::vector<const FlowUse*> mix;
        std::vector<double> demand;
        std::vector<std::size_t> owner;
        for (std::size_t i = 0; i < activities_.size(); ++i)
            for (const FlowUse& use : activities_[i]->uses)
                if (use.resource == shared.resource && use.bytes > 0) {
                    mix.push_back(&use);
                    demand.push_back(static_cast<double>(use.bytes) *
                                     own_speed_limit(*activities_[i]));
                    owner.push_back(i);
                }
        std::vector<double> ps_per_byte(mix.size(), 0.0);
        shared.resource->price(mix, demand, ps_per_byte);
        for (std::size_t u = 0; u < mix.size(); ++u) {
            const auto bytes = static_cast<double>(mix[u]->bytes);
            if (shared.loads.empty() || shared.loads.back().activity != owner[u])
                shared.loads.push_back(Load{owner[u], 0.0, 0.0});
            shared.loads.back().bytes += bytes;
            shared.loads.back().service_ps += bytes * ps_per_byte[u];
        }
    }

    void share_out()
    {
        for (SharedResource& shared : shared_) {
            double price_per_level = 0.0;
            for (const Load& load : shared.loads)
                if (!decided_[load.activity])
                    price_per_level += load.service_ps / load.bytes;
            shared.bytes_per_ps =
                price_per_level > 0.0 ? std::max(shared.spare, 0.0) / price_per_level : unlimited;
        }
    }

    /// The tightest resource of an undecided activity and the speed it allows.
    std::pair<const SharedResource*, double> tightest(std::size_t activity) const
    {
        const SharedResource* by = nullptr;
        double speed = unlimited;
        for (const SharedResource& shared : shared_)
            for (const Load& load : shared.loads)
                if (load.activity == activity && shared.bytes_per_ps / load.bytes < speed) {
                    speed = shared.bytes_per_ps / load.bytes;
                    by = &shared;
                }
        return {by, speed};
    }

    void decide(std::size_t activity, double speed, const FlowResource* by)
    {
        decided_[activity] = true;
        activities_[activity]->speed = speed;
        activities_[activity]->bound_by = by;
        for (SharedResource& shared : shared_)
            for (const Load& load : shared.loads)
                if (load.activity == activity)
                    shared.spare -= speed * load.service_ps;
    }

    std::size_t decide_limited_by_themselves()
    {
        std::vector<std::size_t> limited;
        for (std::size_t i = 0; i < activities_.size(); ++i)
            if (!decided_[i] && own_speed_limit(*activities_[i]) <= tightest(i).second)
                limited.push_back(i);
        for (std::size_t i : limited)
            decide(i, own_speed_limit(*activities_[i]), nullptr);
        return limited.size();
    }

    /// Decides all streams of a resource that is the tightest for each of them.
    std::size_t decide_tightest_resource()
    {
        for (const SharedResource& shared : shared_) {
            std::vector<std::pair<std::size_t, double>> members;
            bool tightest_for_all = true;
            for (const Load& load : shared.loads) {
                if (decided_[load.activity])
                    continue;
                const auto [by, speed] = tightest(load.activity);
                tightest_for_all = tightest_for_all && by == &shared;
                members.emplace_back(load.activity, speed);
            }
            if (members.empty() || !tightest_for_all)
                continue;
            for (const auto& [activity, speed] : members)
                decide(activity, speed, shared.resource);
            return members.size();
        }
        return 0;
    }

    /// Resources in a cycle, each the tightest for some only: the stream with the lowest rate
    /// first.
    std::size_t decide_slowest()
    {
        std::size_t slowest = activities_.size();
        double lowest = unlimited;
        const SharedResource* by = nullptr;
        for (std::size_t i = 0; i < activities_.size(); ++i) {
            if (decided_[i])
                continue;
            const auto [resource, speed] = tightest(i);
            if (slowest == activities_.size() || resource->bytes_per_ps < lowest) {
                slowest = i;
                lowest = resource->bytes_per_ps;
                by = resource;
            }
        }
        decide(slowest, tightest(slowest).second, by->resource);
        return 1;
    }

    std::span<Activity* const> activities_;
    std::vector<bool> decided_;
    std::vector<SharedResource> shared_;
};

} // namespace

void FlowNetwork::start(Activity& activity, Picoseconds now)
{
    settle(now);
    activity.remaining = 1.0;
    activity.settled_at = now;
    running_.push_back(&activity);
    solve(now);
}

void FlowNetwork::finish_due(Picoseconds now, const std::function<void(Activity&)>& done)
{
    std::vector<Activity*> due;
    for (Activity* activity : running_)
        if (activity->completes_at <= now)
            due.push_back(activity);
    if (due.empty())
        return;
    settle(now);
    std::erase_if(running_, [now](const Activity* a) { return a->completes_at <= now; });
    for (Activity* activity : due)
        activity->remaining = 0.0;
    solve(now);
    for (Activity* activity : due)
        done(*activity);
}

void FlowNetwork::cancel(Activity& activity, Picoseconds now)
{
    if (std::find(running_.begin(), running_.end(), &activity) == running_.end())
        return;
    settle(now);
    std::erase(running_, &activity);
    solve(now);
}

Picoseconds FlowNetwork::next_completion() const
{
    Picoseconds next = never;
    for (const Activity* activity : running_)
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
    return activity.settled_at + static_cast<Picoseconds>(std::ceil(to_go / activity.speed));
}

void FlowNetwork::settle(Picoseconds now)
{
    for (Activity* activity : running_) {
        activity->remaining = 1.0 - progress(*activity, now);
        activity->settled_at = now;
    }
}

void FlowNetwork::solve(Picoseconds now)
{
    Filling(running_).run();
    for (Activity* activity : running_)
        activity->completes_at = activity->speed == unlimited ? now : reaches(*activity, 1.0);
}

} // namespace levee
