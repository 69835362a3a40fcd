// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// A scheduling resource is called again if a stream's pace changes by more than this fraction.
inline constexpr double other_pace = 0.01;

/// Max-min fair division of resources among activities. A saturated resource gives each of its
/// activities the same bytes per time, except activities that another resource or their own pace
/// limits to less. An activity advances at the pace of its slowest resource.
///
/// The level of a resource is the bytes per time that it gives to each activity. It falls when
/// other resources of its activities give more. If the levels of other resources are assumed too
/// high, the computed level is therefore too low, and vice versa. These two cases give upper and
/// lower bounds that converge. The bounds agree at once unless activities share several resources.
/// An allocation by the lower bounds never exceeds a resource's capacity.
///
/// A resource that schedules limits each activity separately, to the speed at which the activity
/// ends at its scheduled time. Schedules depend on the speeds that other resources permit, which
/// depend on the schedules. Such a resource is therefore called repeatedly, at most a few times,
/// until schedules and speeds agree.
///
/// State is incremental: only resources whose streams have changed are priced again, and the steady
/// state allocates no memory.
class FairShares {
public:
    /// Adds `activity`. Its uses must not change until it is removed.
    void add(Activity& activity);
    void remove(const Activity& activity);
    /// Sets `speed`, `bound_by` and `refresh_share` of every activity, and notifies resources whose
    /// last stream has ended.
    void assign(Picoseconds now);

    /// Returns the time until which the allocation is valid, according to the resources that
    /// schedule.
    [[nodiscard]] Picoseconds holds_until() const { return holds_until_; }

    /// Current activities in the order in which they were added.
    [[nodiscard]] std::span<Activity* const> activities() const { return activities_; }

private:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    /// Load of one activity on one resource.
    struct Load {
        std::size_t activity;
        double bytes;      ///< Bytes of the whole activity.
        double service_ps; ///< Service time of the whole activity; 0 for a resource that schedules.
        double most = unlimited; ///< Speed that a scheduling resource permits.
        bool is_bound = false;   ///< Whether this resource limits the activity.
    };
    struct Shared {
        FlowResource* resource;
        std::vector<Load> loads; ///< In the order of the activities.
        // One element per stream, in the same order.
        std::vector<const FlowUse*> mix;
        std::vector<StreamDemand> demand;
        std::vector<double> price;
        std::vector<std::size_t> load_of;
        std::vector<ScheduledStream> scheduled;
        bool is_stale = false;   ///< Must be priced again.
        bool schedules = false;  ///< Last result of FlowResource::schedules().
        std::uint64_t state = 0; ///< price_state() of the prices.
        bool is_listed = false;
    };
    /// The two lowest speeds that resources permit for an activity.
    struct Limit {
        double lowest, second;
        std::size_t resource; ///< The resource with the lowest speed.
    };
    struct Demand {
        double bytes_per_ps;
        double ps_per_byte;
    };
    using Levels = std::vector<double>; // Bytes per ps, by resource.

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
    [[nodiscard]] bool is_refreshed(std::size_t activity) const;
    [[nodiscard]] double refresh_share(std::size_t activity) const;
    [[nodiscard]] static double refresh_service(const Shared& shared, std::size_t activity);
    [[nodiscard]] bool same_speeds(const Levels& high);
    void give_what_is_left();

    std::vector<Activity*> activities_;
    std::vector<Shared> shared_;           ///< Every resource used so far.
    std::vector<FlowResource*> resources_; ///< Pointers to the same resources, adjacent for fast
                                           ///< search.
    /// Index of the resource found last, by the low bits of a resource's address.
    std::array<std::size_t, 256> likely_{};
    std::vector<std::size_t> listed_; ///< Resources in use, in order of first use.
    Picoseconds holds_until_ = forever;

    // State of one assignment.
    Levels low_, high_;
    std::vector<Limit> limits_, other_limits_;
    std::vector<bool> is_scheduled_; ///< Activities with a stream that a resource schedules.
    std::vector<Demand> demands_;
};

} // namespace levee
