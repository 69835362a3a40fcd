#include "ip/common/fair_shares.hpp"

#include <algorithm>

namespace levee {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
/// Differences this small, relative, are rounding errors.
constexpr double rounding = 1e-12;
/// Rounds of bounds. Each halves the distance even between two activities that press each other
/// hard; what is left then is given away in order.
constexpr int most_rounds = 40;

} // namespace

FairShares::FairShares(std::span<Activity* const> activities) : activities_(activities)
{
    for (const Activity* activity : activities_)
        for (const FlowUse& use : activity->uses)
            if (use.bytes > 0)
                index_of(use.resource);
    for (std::size_t i = 0; i < shared_.size(); ++i)
        add_loads(i);
}

std::vector<FlowResource*> FairShares::resources() const
{
    std::vector<FlowResource*> all;
    for (const Shared& shared : shared_)
        all.push_back(shared.resource);
    return all;
}

void FairShares::assign()
{
    Levels low = answer(Levels(shared_.size(), unlimited));
    bool settled = false;
    for (int round = 0; round < most_rounds && !settled; ++round) {
        const Levels high = answer(low);
        settled = same_speeds(low, high);
        if (!settled)
            low = answer(high);
    }
    const std::vector<Limit> limit = limits(low);
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        const bool by_itself = own_pace(i) <= limit[i].lowest;
        activities_[i]->speed = by_itself ? own_pace(i) : limit[i].lowest;
        activities_[i]->bound_by = by_itself ? nullptr : shared_[limit[i].resource].resource;
    }
    if (!settled)
        give_what_is_left();
}

std::size_t FairShares::index_of(FlowResource* resource)
{
    const auto at = std::find_if(shared_.begin(), shared_.end(),
                                 [&](const Shared& s) { return s.resource == resource; });
    if (at == shared_.end())
        shared_.push_back(Shared{resource, {}});
    return static_cast<std::size_t>(at - shared_.begin());
}

void FairShares::add_loads(std::size_t resource)
{
    std::vector<const FlowUse*> mix;
    std::vector<double> demand;
    std::vector<std::size_t> owner;
    for (std::size_t i = 0; i < activities_.size(); ++i)
        for (const FlowUse& use : activities_[i]->uses)
            if (use.resource == shared_[resource].resource && use.bytes > 0) {
                mix.push_back(&use);
                demand.push_back(static_cast<double>(use.bytes) * own_pace(i));
                owner.push_back(i);
            }
    std::vector<double> ps_per_byte(mix.size(), 0.0);
    shared_[resource].resource->price(mix, demand, ps_per_byte);
    for (std::size_t u = 0; u < mix.size(); ++u) {
        if (u == 0 || owner[u] != owner[u - 1]) {
            shared_[resource].loads.push_back(loads_.size());
            loads_.push_back(Load{owner[u], resource, 0.0, 0.0});
        }
        const auto bytes = static_cast<double>(mix[u]->bytes);
        loads_.back().bytes += bytes;
        loads_.back().service_ps += bytes * ps_per_byte[u];
    }
}

std::vector<FairShares::Limit> FairShares::limits(const Levels& levels) const
{
    std::vector<Limit> result(activities_.size(), Limit{unlimited, unlimited, 0});
    for (const Load& load : loads_) {
        const double speed = levels[load.resource] / load.bytes;
        Limit& limit = result[load.activity];
        if (speed < limit.lowest)
            limit = Limit{speed, limit.lowest, load.resource};
        else if (speed < limit.second)
            limit.second = speed;
    }
    return result;
}

/// The levels of all resources if their activities are held back elsewhere by `levels`.
FairShares::Levels FairShares::answer(const Levels& levels) const
{
    const std::vector<Limit> limit = limits(levels);
    Levels result(shared_.size());
    for (std::size_t i = 0; i < shared_.size(); ++i)
        result[i] = level_of(i, limit);
    return result;
}

/// Max-min division of one resource; infinity if its activities leave some of it.
double FairShares::level_of(std::size_t resource, std::span<const Limit> limit) const
{
    struct Demand {
        double bytes_per_ps;
        double ps_per_byte;
    };
    std::vector<Demand> demands;
    for (const std::size_t index : shared_[resource].loads) {
        const Load& load = loads_[index];
        const Limit& held = limit[load.activity];
        const double elsewhere = held.resource == resource ? held.second : held.lowest;
        const double speed = std::min(own_pace(load.activity), elsewhere);
        demands.push_back({speed * load.bytes, load.service_ps / load.bytes});
    }
    std::stable_sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) {
        return a.bytes_per_ps < b.bytes_per_ps;
    });
    double spare = 1.0;
    for (std::size_t i = 0; i < demands.size(); ++i) {
        double price = 0.0;
        for (std::size_t j = i; j < demands.size(); ++j)
            price += demands[j].ps_per_byte;
        const double level = spare / price;
        if (demands[i].bytes_per_ps > level)
            return level;
        spare -= demands[i].bytes_per_ps * demands[i].ps_per_byte;
    }
    return spare > rounding ? unlimited : demands.back().bytes_per_ps;
}

double FairShares::own_pace(std::size_t activity) const
{
    const Picoseconds minimum = activities_[activity]->minimum;
    return minimum == 0 ? unlimited : 1.0 / static_cast<double>(minimum);
}

bool FairShares::same_speeds(const Levels& low, const Levels& high) const
{
    const std::vector<Limit> least = limits(low);
    const std::vector<Limit> most = limits(high);
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        const double slow = std::min(own_pace(i), least[i].lowest);
        const double fast = std::min(own_pace(i), most[i].lowest);
        if (fast > slow * (1.0 + rounding))
            return false;
    }
    return true;
}

/// Where the bounds have not met, something may be left on every resource of an activity.
void FairShares::give_what_is_left()
{
    std::vector<double> spare(shared_.size(), 1.0);
    for (const Load& load : loads_)
        spare[load.resource] -= activities_[load.activity]->speed * load.service_ps;
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        Activity& activity = *activities_[i];
        double more = own_pace(i) - activity.speed;
        for (const Load& load : loads_)
            if (load.activity == i)
                more = std::min(more, spare[load.resource] / load.service_ps);
        if (!(more > 0.0))
            continue;
        activity.speed += more;
        for (const Load& load : loads_)
            if (load.activity == i)
                spare[load.resource] -= more * load.service_ps;
    }
}

} // namespace levee
