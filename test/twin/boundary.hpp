// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/twin/pins.hpp"

namespace levee::inverter {

/// Checks the timing at the pins, but not the values.
class Boundary {
public:
    void reset() { full_ = false; }
    [[nodiscard]] Outputs settle(const Inputs& in) const
    {
        return {!full_ || in.out_ready, full_, 0};
    }
    void edge(const Inputs& in)
    {
        if (settle(in).in_ready)
            full_ = in.in_valid;
    }

private:
    bool full_ = false;
};

} // namespace levee::inverter
