// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"

namespace levee::bounds {

/// When the core sleeps.
class CoreWatch {
public:
    void sleeps(bool asleep, Picoseconds now)
    {
        if (asleep_)
            slept_ += now - since_;
        asleep_ = asleep;
        since_ = now;
    }
    /// How long it has slept until `now`, which is not before the last call of sleeps().
    [[nodiscard]] Picoseconds slept(Picoseconds now) const
    {
        return slept_ + (asleep_ ? now - since_ : 0);
    }

private:
    Picoseconds slept_ = 0, since_ = 0;
    bool asleep_ = false;
};

} // namespace levee::bounds
