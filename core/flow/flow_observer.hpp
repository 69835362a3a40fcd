// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <span>

namespace levee {

/// Observes how a system's activities share its resources.
class FlowObserver {
public:
    virtual ~FlowObserver() = default;
    /// Reports speeds and bottlenecks (`speed`, `bound_by`) of all `running` activities from `now`
    /// on. Called whenever an activity starts, ends or reaches a milestone, and when a schedule
    /// expires. Of several calls at one time, the last one is valid.
    virtual void shared(Picoseconds now, std::span<Activity* const> running) = 0;
};

} // namespace levee
