// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <cstddef>
#include <cstdint>

namespace levee::systolic_evictor {

/// Model of the timing of the evictor's pins, without values (docs/rtl_boundaries.md). The RTL is
/// checked against this model in every cycle. The number of rows is 3 to most_rows.
class Boundary {
public:
    explicit Boundary(std::size_t rows);

    void reset();
    /// Returns the ready and valid outputs and update_last of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle. `outputs` must be the result of settle(inputs)
    /// in this cycle.
    void edge(const Inputs& inputs, const Outputs& outputs);
    void edge(const Inputs& inputs) { edge(inputs, settle(inputs)); }

private:
    /// State of one bank of the registers S, which holds a tile; bitmaps have a bit for each row.
    struct Bank {
        std::uint64_t full = 0, done = 0, last = 0;
        bool loaded = false; ///< Streamed: waves may enter.
    };
    /// Bitmaps with a bit for each row: the row has a wave; the first wave of a tile; the last wave
    /// of a tile; a wave for the second bank.
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
    // The last command: whether load and score have yet to start it; if it is a stream; its rows.
    bool load_waits_ = false, score_waits_ = false, waiting_streams_ = false;
    std::size_t waiting_rows_ = 0;
    bool streams_ = false; // Whether the tiles in the rows are streamed.
    bool loading_ = false, scoring_ = false, result_ = false;
    std::size_t load_row_ = 0, load_rows_ = 0, score_row_ = 0, read_row_ = 0;
    Bank banks_[2];
    unsigned load_bank_ = 0, wave_bank_ = 0, read_bank_ = 0;
    bool wave_first_ = true; // The next wave is the first of its tile.
    Waves waves_;
};

} // namespace levee::systolic_evictor
