// SPDX-License-Identifier: Apache-2.0
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
///
/// Kept from change to change: only resources whose streams have changed are priced again, and
/// nothing is allocated once the system has been busy for a while.
class FairShares {
public:
    /// `activity` takes part from now on; its uses do not change while it does.
    void add(Activity& activity);
    /// It, which did, no longer does.
    void remove(const Activity& activity);
    /// Sets `speed` and `bound_by` of every activity. Resources whose last stream has gone are told
    /// so.
    void assign();

    /// Those taking part, in the order of their coming.
    [[nodiscard]] std::span<Activity* const> activities() const { return activities_; }

private:
    /// What one activity puts on one resource.
    struct Load {
        std::size_t activity;
        double bytes;      ///< of the whole activity
        double service_ps; ///< of the whole activity
    };
    struct Shared {
        FlowResource* resource;
        std::vector<Load> loads; ///< in the order of the activities
        // Stream by stream, in the same order.
        std::vector<const FlowUse*> mix;
        std::vector<double> demand;
        std::vector<std::size_t> load_of;
        bool is_stale = false; ///< to be priced again
        bool is_listed = false;
    };
    /// The two lowest speeds that an activity's resources allow it.
    struct Limit {
        double lowest, second;
        std::size_t resource; ///< that of the lowest
    };
    struct Demand {
        double bytes_per_ps;
        double ps_per_byte;
    };
    using Levels = std::vector<double>; // bytes per ps, by resource

    std::size_t index_of(FlowResource* resource);
    void drop_streams(Shared& shared, std::size_t activity);
    void list_resources();
    void price(Shared& shared);
    void limits(const Levels& levels, std::vector<Limit>& result) const;
    void answer(const Levels& levels, Levels& result);
    [[nodiscard]] double level_of(std::size_t resource);
    [[nodiscard]] double own_pace(std::size_t activity) const;
    [[nodiscard]] bool same_speeds(const Levels& low, const Levels& high);
    void give_what_is_left();

    std::vector<Activity*> activities_;
    std::vector<Shared> shared_;      ///< every resource ever met
    std::vector<std::size_t> listed_; ///< those in use, by their first use

    // Of one assignment.
    Levels low_, high_;
    std::vector<Limit> limits_, other_limits_;
    std::vector<Demand> demands_;
    std::vector<double> prices_;
};

} // namespace levee
