// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <cstdint>
#include <vector>

namespace levee::veda {

/// When the arrays' pins do what, without the values: the contract that their RTL is held to, clock
/// by clock (ip/veda/README.md states it). Two arrays.
class Boundary {
public:
    explicit Boundary(const ArrayShape& shape);

    void reset();
    /// This cycle's outputs; there are no lanes.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    /// What is left of a beat: the arrays in which it ends a sum.
    struct Stage {
        bool valid = false;
        bool outer = false;
        std::uint32_t ends = 0;
    };

    std::vector<Stage> inner_; ///< [0]: taken in the cycle before
    Stage outer_;
    Stage result_; ///< at the port
};

} // namespace levee::veda
