// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/pins.hpp"

#include <cstdint>
#include <deque>

namespace levee::rsa {

/// Timing of the array's pins, without values: the contract that its RTL is checked against, clock
/// by clock (docs/rtl_boundaries.md states it).
class Boundary {
public:
    explicit Boundary(const Shape& shape);

    void reset() { *this = Boundary(shape_); }
    /// This cycle's readies and valid lanes; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    [[nodiscard]] bool waits_for_row() const;
    [[nodiscard]] std::uint32_t lanes() const;
    [[nodiscard]] bool steps(const Inputs& in) const;
    void take_wave(const Wave& wave);
    void take_row(const StoredRow& row);

    Shape shape_;
    std::int64_t step_ = 0; ///< steps done: waves move in each
    struct Bank {
        bool is_full = false;   ///< the fold is loaded, and not all of its waves have entered
        std::int64_t last_wave; ///< the step in which the last one of any fold entered
    };
    Bank banks_[2];
    unsigned load_bank_ = 0, wave_bank_ = 0;
    std::uint32_t loaded_ = 0;    ///< rows of the fold under load
    bool is_first_ = true;        ///< the next wave is the first of its fold
    bool chases_ = false;         ///< waves follow the rows of a fold that is still being loaded
    std::int64_t first_wave_ = 0; ///< the step in which its first one entered
    struct Leaving {
        std::int64_t entered; ///< Wave that entered in this step.
        std::uint32_t lanes;
    };
    std::deque<Leaving> leaving_; ///< waves whose sums leave
};

} // namespace levee::rsa
