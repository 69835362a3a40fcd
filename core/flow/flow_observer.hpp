// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <span>

namespace levee {

/// Observer of how a system's activities share its resources.
class FlowObserver {
public:
    virtual ~FlowObserver() = default;
    /// Speeds and bounds (`speed`, `bound_by`) of all `running` from `now` on. Called whenever an
    /// activity starts or ends; the last call at a given time is valid.
    virtual void shared(Picoseconds now, std::span<Activity* const> running) = 0;
};

} // namespace levee
