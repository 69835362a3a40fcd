// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "core/flow/flow_observer.hpp"
#include "ip/dram/model.hpp"
#include "ip/dram/pace_watch.hpp"
#include "ip/dram/self_refresh.hpp"

#include <cstdint>
#include <span>

namespace levee::dram {

/// Counts for price lists by command: the time in which streams use a DRAM, and the rows that they
/// open. Rows are assumed to be open during all of that time and at no other time (TN-41-01's share
/// of time with all banks precharged).
class StreamActivity : public FlowObserver {
public:
    /// `timing` outlives this object.
    StreamActivity(DramTiming& timing, SelfRefresh& self_refresh)
        : timing_(timing), self_refresh_(self_refresh),
          paces_(timing,
                 timing.parameters().peak_bytes_per_s() / static_cast<double>(ps_per_second))
    {
    }
    explicit StreamActivity(DramTiming& timing) : StreamActivity(timing, never_) {}

    /// Starts the counts, which cost host time. Call it before the run.
    void enable()
    {
        is_enabled_ = true;
        timing_.count_rows();
    }

    [[nodiscard]] bool is_enabled() const { return is_enabled_; }

    /// Time with streams up to `now`.
    [[nodiscard]] Picoseconds active(Picoseconds now) const
    {
        return active_ + (is_active_ ? now - since_ : 0);
    }

    /// Rows opened by streams up to `now`: those of scheduled streams, and for priced mixes the
    /// number that their schedules give.
    [[nodiscard]] std::uint64_t rows(Picoseconds now) const
    {
        return timing_.scheduled_rows(now) + static_cast<std::uint64_t>(rows_until(now));
    }

    [[nodiscard]] const PaceWatch& paces() const { return paces_; }

    void shared(Picoseconds now, std::span<Activity* const> running) override
    {
        paces_.shared(now, running);
        if (!is_enabled_ && !self_refresh_.configured())
            return;
        active_ = active(now);
        rows_ = rows_until(now);
        since_ = now;
        is_active_ = false;
        rows_per_ps_ = 0.0;
        for (const Activity* activity : running)
            for (const FlowUse& use : activity->uses)
                if (use.resource == &timing_) {
                    is_active_ = true;
                    // Scheduled streams give 0: scheduled_rows() counts their rows.
                    if (const double rows = timing_.rows_per_byte(use); rows > 0.0)
                        rows_per_ps_ += activity->speed * static_cast<double>(use.bytes) * rows;
                }
        self_refresh_.run(is_active_, now);
    }

private:
    [[nodiscard]] double rows_until(Picoseconds now) const
    {
        return rows_ + rows_per_ps_ * static_cast<double>(now - since_);
    }

    DramTiming& timing_;
    SelfRefresh never_{{}};
    SelfRefresh& self_refresh_;
    PaceWatch paces_;
    Picoseconds active_ = 0, since_ = 0;
    double rows_ = 0.0, rows_per_ps_ = 0.0;
    bool is_enabled_ = false, is_active_ = false;
};

} // namespace levee::dram
