// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <cstdint>
#include <vector>

namespace levee::veda {

/// Timing of the arrays' pins, without values: the contract that the RTL is checked against, clock
/// by clock (ip/veda/README.md states it). Two arrays.
class Boundary {
public:
    explicit Boundary(const ArrayShape& shape);

    void reset();
    /// This cycle's outputs, without lanes.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    /// State of a beat in the pipeline: the arrays in which it ends a sum.
    struct Stage {
        bool valid = false;
        bool outer = false;
        std::uint32_t ends = 0;
    };

    std::vector<Stage> inner_; ///< [0]: taken in the previous cycle
    Stage outer_;
    Stage result_; ///< at the port
};

} // namespace levee::veda
