// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace levee {

/// Max-min fair division of resources among activities. A saturated resource gives the same bytes
/// per time to each of its activities, except those limited to less by another resource or by their
/// own pace. An activity advances at the pace of its slowest resource.
///
/// The level of a resource (the bytes per time it gives) falls when the other resources of its
/// activities give more. Levels that are too high therefore yield levels that are too low, and
/// these yield higher ones again: upper and lower bounds that converge, at once unless activities
/// meet on several resources. An allocation by the lower bound never exceeds a resource.
///
/// A scheduling resource limits each activity separately, to the speed that ends it at the
/// scheduled time. Schedules depend on the speeds that other resources permit, and these depend on
/// the schedules. The resource is therefore asked repeatedly, a few times at most, until both
/// agree.
///
/// State is incremental: only resources whose streams have changed are priced again, and nothing is
/// allocated in the steady state.
class FairShares {
public:
    /// Adds `activity`, whose uses must not change until it is removed.
    void add(Activity& activity);
    /// Removes an activity that was added.
    void remove(const Activity& activity);
    /// Sets `speed`, `bound_by` and `refresh_share` of every activity, and notifies resources whose
    /// last stream has ended.
    void assign(Picoseconds now);

    /// Time until which the allocation holds, according to the resources that schedule.
    [[nodiscard]] Picoseconds holds_until() const { return holds_until_; }

    /// The current activities, in the order in which they were added.
    [[nodiscard]] std::span<Activity* const> activities() const { return activities_; }

private:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    /// Load of one activity on one resource.
    struct Load {
        std::size_t activity;
        double bytes;      ///< bytes of the whole activity
        double service_ps; ///< service time of the whole activity; 0 for a resource that schedules
        double most = unlimited; ///< speed that a resource which schedules allows, and
        bool is_bound = false;   ///< Whether this resource limits the activity.
    };
    struct Shared {
        FlowResource* resource;
        std::vector<Load> loads; ///< Loads, in the order of the activities.
        // One element per stream, in the same order.
        std::vector<const FlowUse*> mix;
        std::vector<double> demand;
        std::vector<double> price;
        std::vector<std::size_t> load_of;
        std::vector<ScheduledStream> scheduled; ///< Streams as last scheduled; only for a resource
                                                ///< that schedules.
        bool is_stale = false;                  ///< must be priced again
        bool schedules = false;                 ///< FlowResource::schedules() of the last time
        std::uint64_t state = 0;                ///< price_state() of the prices
        bool is_listed = false;
    };
    /// The two lowest speeds that its resources allow an activity.
    struct Limit {
        double lowest, second;
        std::size_t resource; ///< the resource with the lowest
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
    void price_stale(Picoseconds now);
    static void change_manner(Shared& shared, Picoseconds now);
    [[nodiscard]] bool find_levels();
    bool schedule(Picoseconds now, bool first);
    [[nodiscard]] bool set_paces(std::size_t resource, bool first);
    void hold_to_schedules();
    [[nodiscard]] double speed_at(std::size_t resource, const Load& load, double level) const;
    void limits(const Levels& levels, std::vector<Limit>& result) const;
    void answer(const Levels& levels, Levels& result);
    [[nodiscard]] double level_of(std::size_t resource);
    [[nodiscard]] double own_pace(std::size_t activity) const;
    [[nodiscard]] double refresh_share(std::size_t activity) const;
    [[nodiscard]] static double refresh_service(const Shared& shared, std::size_t activity);
    [[nodiscard]] bool same_speeds(const Levels& high);
    void give_what_is_left();

    std::vector<Activity*> activities_;
    std::vector<Shared> shared_;           ///< every resource used so far
    std::vector<FlowResource*> resources_; ///< theirs, close together to be found fast
    std::vector<std::size_t> listed_;      ///< Resources in use, in order of first use.
    Picoseconds holds_until_ = forever;

    // State of one assignment.
    Levels low_, high_;
    std::vector<Limit> limits_, other_limits_;
    std::vector<bool> is_scheduled_; ///< activities with a stream that a resource schedules
    std::vector<Demand> demands_;
};

} // namespace levee
