// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <span>

namespace levee::dram {

/// Measures the time in which prices by kind let a block catch up after delays, although its buffer
/// is too small for that (exactness.md): one activity advances at a pace of its own, while the
/// memory limits another.
class PaceWatch {
public:
    /// Paces below this share of the peak rate do not count: the buffer makes up for their delays.
    static constexpr double least_pace = 0.125;

    /// `memory` outlives this object.
    PaceWatch(const FlowResource& memory, double peak_bytes_per_ps)
        : memory_(memory), least_bytes_per_ps_(least_pace * peak_bytes_per_ps)
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
        bool limited = false, paced = false;
        for (const Activity* activity : running) {
            double bytes = 0;
            for (const FlowUse& use : activity->uses)
                bytes += use.resource == &memory_ ? static_cast<double>(use.bytes) : 0.0;
            if (bytes > 0 && activity->bound_by == &memory_)
                limited = true;
            else
                paced = paced || activity->speed * bytes >= least_bytes_per_ps_;
        }
        return limited && paced;
    }

    const FlowResource& memory_;
    double least_bytes_per_ps_;
    Picoseconds time_ = 0, since_ = 0;
    bool is_mixed_ = false;
};

} // namespace levee::dram
