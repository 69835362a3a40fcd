// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <cstddef>
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

    [[nodiscard]] const Stage& at_port() const { return kept_.valid ? kept_ : results_.back(); }
    void advance(const Stage& taken);

    std::vector<Stage> inner_, outer_; ///< [0]: taken in the previous cycle
    std::vector<Stage> results_;       ///< Results between the sums and the port.
    Stage kept_;                       ///< Result at the port while the pipeline stands still.
    std::size_t busy_;                 ///< busy stages of inner, for which outer waits
};

} // namespace levee::veda
