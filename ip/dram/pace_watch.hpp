// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <span>

namespace levee::dram {

/// Measures the time in which an activity has a pace of its own while the memory limits another.
/// Prices by kind then let the first one's block catch up after each delay, although its buffer is
/// too small for that (exactness.md).
class PaceWatch {
public:
    /// Paces below this share of the peak rate do not count: the buffer makes up for most of their
    /// delays. Paces from the peak rate on are no limit.
    static constexpr double least_pace = 0.125;

    /// `memory` outlives this object.
    PaceWatch(const FlowResource& memory, double peak_bytes_per_ps)
        : memory_(memory), peak_bytes_per_ps_(peak_bytes_per_ps)
    {
    }

    /// From `now` on, the activities of `running` have these speeds and limits.
    void shared(Picoseconds now, std::span<Activity* const> running)
    {
        time_ = time(now);
        since_ = now;
        is_mixed_ = running.size() > 1 && !memory_.schedules() && is_mixed(running);
    }

    /// Time until `now` in which streams were mixed in this way.
    [[nodiscard]] Picoseconds time(Picoseconds now) const
    {
        return time_ + (is_mixed_ ? now - since_ : 0);
    }

private:
    [[nodiscard]] bool is_mixed(std::span<Activity* const> running) const
    {
        unsigned limited = 0, paced = 0, both = 0;
        for (const Activity* activity : running) {
            const double share = pace(*activity) / peak_bytes_per_ps_;
            const bool is_paced = share >= least_pace && share < 1.0;
            const bool is_limited = activity->bound_by == &memory_;
            limited += is_limited ? 1 : 0;
            paced += is_paced ? 1 : 0;
            both += is_limited && is_paced ? 1 : 0;
        }
        // Two different activities are needed.
        return limited > 0 && paced > 0 && limited + paced - both > 1;
    }

    /// Bytes per picosecond that the activity moves in the memory if the memory does not limit it.
    /// 0: it moves none, or only the memory limits it.
    [[nodiscard]] double pace(const Activity& activity) const
    {
        double bytes = 0;
        for (const FlowUse& use : activity.uses)
            bytes += use.resource == &memory_ ? static_cast<double>(use.bytes) : 0.0;
        if (activity.bound_by != &memory_)
            return activity.speed * bytes;
        return activity.minimum > 0 ? bytes / static_cast<double>(activity.minimum) : 0.0;
    }

    const FlowResource& memory_;
    double peak_bytes_per_ps_;
    Picoseconds time_ = 0, since_ = 0;
    bool is_mixed_ = false;
};

} // namespace levee::dram
