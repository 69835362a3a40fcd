// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim_macro/pins.hpp"

namespace levee::cim_macro {

/// Model of the timing of the macro's pins, without values (docs/rtl_boundaries.md). The RTL is
/// checked against this model in every cycle.
class Boundary {
public:
    void reset() { *this = Boundary(); }
    /// Returns the ready and valid outputs of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    unsigned bits_ = 0;    ///< Remaining bits of the current pass.
    bool is_open_ = false; ///< The current vector has another pass.
    bool waits_ = false;   ///< Whether the sums wait to be taken.
};

} // namespace levee::cim_macro
