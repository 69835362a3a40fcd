// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/pins.hpp"

#include <cstdint>
#include <deque>

namespace levee::rsa {

/// Model of the timing of the array's pins, without values (docs/rtl_boundaries.md). The RTL is
/// checked against this model in every cycle.
class Boundary {
public:
    explicit Boundary(const Shape& shape);

    void reset() { *this = Boundary(shape_); }
    /// Returns the ready outputs and valid lanes of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    [[nodiscard]] bool waits_for_row() const;
    [[nodiscard]] std::uint32_t lanes() const;
    [[nodiscard]] bool steps(const Inputs& in) const;
    void take_wave(const Wave& wave);
    void take_row(const StoredRow& row);

    Shape shape_;
    std::int64_t step_ = 0; ///< Number of steps so far. Waves move in each step.
    struct Bank {
        bool is_full = false;   ///< The fold is loaded, and not all of its waves have entered.
        std::int64_t last_wave; ///< Step in which the last wave of its previous fold entered.
    };
    Bank banks_[2];
    unsigned load_bank_ = 0, wave_bank_ = 0;
    std::uint32_t loaded_ = 0;    ///< Number of rows loaded of the fold in progress.
    bool is_first_ = true;        ///< The next wave is the first of its fold.
    bool chases_ = false;         ///< Waves enter a fold whose rows are still being loaded.
    std::int64_t first_wave_ = 0; ///< Step in which the first of these waves entered.
    struct Leaving {
        std::int64_t entered; ///< Step in which the wave entered.
        std::uint32_t lanes;
    };
    std::deque<Leaving> leaving_; ///< Waves whose sums are leaving.
};

} // namespace levee::rsa
