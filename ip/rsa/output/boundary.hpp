// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/output/pins.hpp"

#include <cstdint>
#include <deque>

namespace levee::rsa::output {

/// Timing of the output-stationary array's pins, without values: the contract that its RTL is
/// checked against, clock by clock (docs/rtl_boundaries.md states it).
class Boundary {
public:
    /// Throws std::invalid_argument for a size that the pins do not have.
    explicit Boundary(const Shape& shape);

    void reset() { *this = Boundary(shape_); }
    /// This cycle's readies and valid lanes; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    [[nodiscard]] std::uint32_t lanes() const;
    [[nodiscard]] bool steps(const Inputs& in) const;

    Shape shape_;
    std::int64_t step_ = 0;      ///< steps done: waves move in each
    bool has_columns_ = false;   ///< bytes of B are loaded and wait for a wave
    std::int64_t may_leave_ = 0; ///< Step from which a wave with complete sums may enter.
    struct Leaving {
        std::int64_t entered; ///< Wave that entered in this step.
        std::uint32_t rows, lanes;
    };
    std::deque<Leaving> leaving_; ///< waves whose sums leave
};

} // namespace levee::rsa::output
