// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <algorithm>

namespace levee::dram {

/// Settings for self-refresh of an idle memory. The whole memory enters self-refresh at the same
/// time.
struct SelfRefreshConfig {
    Picoseconds after = 0; ///< idle time before self-refresh; 0: never
    Picoseconds exit = 0;  ///< tXSR: time from the end of self-refresh to the first command
};

/// Measures a memory's idle times, and the part of them spent in self-refresh.
class SelfRefresh {
public:
    explicit SelfRefresh(const SelfRefreshConfig& config) : config_(config) {}

    [[nodiscard]] bool configured() const { return config_.after != 0; }

    /// Records a use of the memory at `now`, which must not decrease. Returns the time until the
    /// memory can take the first command. A new idle time begins.
    Picoseconds wake(Picoseconds now)
    {
        const Picoseconds asleep = asleep_for(now);
        slept_ += asleep;
        since_ = std::max(since_, now);
        return asleep != 0 ? config_.exit : 0;
    }

    /// Call when streams begin or stop using the memory.
    void run(bool running, Picoseconds now)
    {
        (void)wake(now);
        running_ = running;
    }

    /// Time in self-refresh until `now`.
    [[nodiscard]] Picoseconds slept(Picoseconds now) const { return slept_ + asleep_for(now); }

private:
    [[nodiscard]] Picoseconds asleep_for(Picoseconds now) const
    {
        const Picoseconds from = since_ + config_.after;
        return configured() && !running_ && now > from ? now - from : 0;
    }

    SelfRefreshConfig config_;
    Picoseconds since_ = 0; ///< time of the last use, or of the end of the last streams
    Picoseconds slept_ = 0;
    bool running_ = false;
};

} // namespace levee::dram
