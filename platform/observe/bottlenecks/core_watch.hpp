// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

namespace levee::bottlenecks {

/// Measures the total time for which the core sleeps.
class CoreWatch {
public:
    void sleeps(bool asleep, Picoseconds now)
    {
        if (asleep_)
            slept_ += now - since_;
        asleep_ = asleep;
        since_ = now;
    }
    /// Total sleep until `now`, which must not be earlier than the last call of sleeps().
    [[nodiscard]] Picoseconds slept(Picoseconds now) const
    {
        return slept_ + (asleep_ ? now - since_ : 0);
    }

private:
    Picoseconds slept_ = 0, since_ = 0;
    bool asleep_ = false;
};

} // namespace levee::bottlenecks
