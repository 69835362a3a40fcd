#pragma once

#include "ip/common/flow.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace levee {

/// Divides resources among activities. Every resource that is full gives the same bytes per time
/// to each of its activities, except those that another resource or their own pace holds below
/// that; an activity goes at the pace of its slowest resource.
///
/// The level of a resource (the bytes per time it gives) falls when its activities' other resources
/// give more. So from levels that are too high follow ones that are too low and from these higher
/// ones again: bounds that close in from both sides, at once unless activities meet on several
/// resources. What the lower bound gives away never exceeds a resource.
class FairShares {
public:
    explicit FairShares(std::span<Activity* const> activities);

    /// Sets `speed` and `bound_by` of every activity.
    void assign();

    [[nodiscard]] std::vector<FlowResource*> resources() const;

private:
    /// What one activity puts on one resource.
    struct Load {
        std::size_t activity;
        std::size_t resource;
        double bytes;      ///< of the whole activity
        double service_ps; ///< of the whole activity
    };
    struct Shared {
        FlowResource* resource;
        std::vector<std::size_t> loads; ///< indices, in the order of the activities
    };
    /// The two lowest speeds that an activity's resources allow it.
    struct Limit {
        double lowest, second;
        std::size_t resource; ///< that of the lowest
    };
    using Levels = std::vector<double>; // bytes per ps, by resource

    std::size_t index_of(FlowResource* resource);
    void add_loads(std::size_t resource);
    [[nodiscard]] std::vector<Limit> limits(const Levels& levels) const;
    [[nodiscard]] Levels answer(const Levels& levels) const;
    [[nodiscard]] double level_of(std::size_t resource, std::span<const Limit> limits) const;
    [[nodiscard]] double own_pace(std::size_t activity) const;
    [[nodiscard]] bool same_speeds(const Levels& low, const Levels& high) const;
    void give_what_is_left();

    std::span<Activity* const> activities_;
    std::vector<Shared> shared_;
    std::vector<Load> loads_; // resource by resource
};

} // namespace levee
