// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/output/pins.hpp"

#include <cstdint>
#include <deque>

namespace levee::rsa::output {

/// Model of the timing of the output-stationary array's pins, without values
/// (docs/rtl_boundaries.md). The RTL is checked against this model in every cycle.
class Boundary {
public:
    /// Throws std::invalid_argument for a size that the pins do not support.
    explicit Boundary(const Shape& shape);

    void reset() { *this = Boundary(shape_); }
    /// Returns the ready outputs and valid lanes of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    [[nodiscard]] std::uint32_t lanes() const;
    [[nodiscard]] bool steps(const Inputs& in) const;

    Shape shape_;
    std::int64_t step_ = 0;      ///< Number of steps so far. Waves move in each step.
    bool has_columns_ = false;   ///< Bytes of B are loaded and wait for a wave.
    std::int64_t may_leave_ = 0; ///< Step from which a wave with complete sums may enter.
    struct Leaving {
        std::int64_t entered; ///< Step in which the wave entered.
        std::uint32_t rows, lanes;
    };
    std::deque<Leaving> leaving_; ///< Waves whose sums are leaving.
};

} // namespace levee::rsa::output
