// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim_macro/pins.hpp"

namespace levee::cim_macro {

/// Timing of the macro's pins, without values: the contract that its RTL is checked against, clock
/// by clock (docs/rtl_boundaries.md states it).
class Boundary {
public:
    void reset() { *this = Boundary(); }
    /// This cycle's readies and valid; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    unsigned bits_ = 0;    ///< remaining bits of the current pass
    bool is_open_ = false; ///< the vector has a further pass
    bool waits_ = false;   ///< Whether the sums still have to be taken.
};

} // namespace levee::cim_macro
