// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <cstddef>
#include <cstdint>

namespace levee::systolic_evictor {

/// Timing of the evictor's pins, without values: the contract that its RTL is checked against,
/// clock by clock (docs/rtl_boundaries.md states it). 3 to most_rows rows.
class Boundary {
public:
    explicit Boundary(std::size_t rows);

    void reset();
    /// This cycle's readies, valids and update_last; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle, in which settle(inputs) has returned `outputs`.
    void edge(const Inputs& inputs, const Outputs& outputs);
    void edge(const Inputs& inputs) { edge(inputs, settle(inputs)); }

private:
    /// Rows with a register S of one tile: a bit for each.
    struct Bank {
        std::uint64_t full = 0, done = 0, last = 0;
        bool loaded = false; ///< streamed: waves may enter
    };
    /// Rows with a wave, with a tile's first or last, and with one of the second bank: a bit for
    /// each.
    struct Waves {
        std::uint64_t any = 0, first = 0, last = 0, second_bank = 0;
    };

    void take_score(bool is_last);
    void take_load(bool is_last);
    void take_update(bool is_last);
    void move_waves(bool enters, bool is_last);
    void start_stages(bool load, bool score);
    [[nodiscard]] bool can_start() const;
    [[nodiscard]] bool update_takes(const Inputs& inputs) const;
    [[nodiscard]] static bool has(std::uint64_t rows, std::size_t row) { return rows >> row & 1; }

    std::size_t rows_;
    // The waiting command, for the load stage and for the score stage.
    bool load_waits_ = false, score_waits_ = false, waiting_streams_ = false;
    std::size_t waiting_rows_ = 0;
    bool streams_ = false; // the form of the tiles in the rows
    bool loading_ = false, scoring_ = false, result_ = false;
    std::size_t load_row_ = 0, load_rows_ = 0, score_row_ = 0, read_row_ = 0;
    Bank banks_[2];
    unsigned load_bank_ = 0, wave_bank_ = 0, read_bank_ = 0;
    bool wave_first_ = true; // the next wave is its tile's first
    Waves waves_;
};

} // namespace levee::systolic_evictor
