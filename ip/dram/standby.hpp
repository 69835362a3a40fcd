// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_observer.hpp"
#include "ip/common/flow.hpp"

#include <algorithm>
#include <span>

namespace levee::dram {

/// Time for which a DRAM has streams. Rows are taken to be open for all of it, and for no other
/// time (TN-41-01's share of time with all banks precharged).
class Standby : public FlowObserver {
public:
    /// `resource` outlives this object.
    explicit Standby(const FlowResource& resource) : resource_(resource) {}

    /// Begins to count, before the run: until then there is nothing to do at each change of
    /// streams.
    void enable() { is_enabled_ = true; }

    /// Time with streams up to `now`.
    [[nodiscard]] Picoseconds active(Picoseconds now) const
    {
        return active_ + (is_active_ ? now - since_ : 0);
    }

    void shared(Picoseconds now, std::span<Activity* const> running) override
    {
        if (!is_enabled_)
            return;
        active_ = active(now);
        since_ = now;
        is_active_ = std::any_of(running.begin(), running.end(), [this](const Activity* activity) {
            return std::any_of(activity->uses.begin(), activity->uses.end(),
                               [this](const FlowUse& use) { return use.resource == &resource_; });
        });
    }

private:
    const FlowResource& resource_;
    Picoseconds active_ = 0, since_ = 0;
    bool is_enabled_ = false, is_active_ = false;
};

} // namespace levee::dram
