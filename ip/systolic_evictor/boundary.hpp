// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <cstddef>
#include <cstdint>

namespace levee::systolic_evictor {

/// Timing of the evictor's pins, without values: the contract that its RTL is checked against,
/// clock by clock (docs/rtl.md states it). At most 64 rows.
class Boundary {
public:
    explicit Boundary(std::size_t rows);

    void reset();
    /// This cycle's readies, valids and update_last; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    void take_score(bool is_last);
    void take_load(bool is_last);
    void start_stages(bool load, bool score);
    [[nodiscard]] static bool has(std::uint64_t rows, std::size_t row) { return rows >> row & 1; }

    std::size_t rows_;
    // The waiting command, for the load stage and for the score stage.
    bool load_waits_ = false, score_waits_ = false;
    std::size_t waiting_rows_ = 0;
    bool loading_ = false, scoring_ = false, result_ = false;
    std::size_t load_row_ = 0, load_rows_ = 0, score_row_ = 0, read_row_ = 0;
    std::uint64_t full_ = 0, done_ = 0, last_ = 0; // a bit for each row
};

} // namespace levee::systolic_evictor
