// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/retention.hpp"

#include <bitset>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace levee::edram {

/// Told of every row with newly failed bits; `flipped` counts them.
using FailureSink = std::function<void(const RowFailure&, unsigned flipped)>;

/// When a row is refreshed: at `due` and then at the multiples of `interval` (0: at none).
struct Rhythm {
    unsigned group = 0;
    Time interval = 0;
};

/// The cells of an eDRAM as they age: flips stored bits of rows that got too old, in the moment a
/// row is read. A row's state is brought up to date only when it is touched. Rows are (unit, half);
/// each function's `now` is at least that of the call before.
class Cells {
public:
    /// `bytes`: what is stored; outlives this.
    Cells(const Geometry& geometry, const RetentionConfig& config, CellSeed seed,
          std::uint8_t* bytes);

    void observe(FailureSink sink) { sink_ = std::move(sink); }

    /// All 32 bytes of the unit are written; its rows are next refreshed at `due`.
    void restart(std::uint64_t unit, Time now, Time due_msb, Time due_lsb);
    /// Some are: those whose bit is set in `written`. Called before they change; the rows hold
    /// data, settled until now.
    void restart_part(std::uint64_t unit, std::uint32_t written, Time now);

    /// Carries out the refreshes of a row that holds data until `now`; what fails meanwhile is seen
    /// by the next read.
    void settle(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now);
    /// Reads a row that holds data: settles it, lets bits fail by its present age, which it
    /// returns.
    Time read(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now)
    {
        const std::uint64_t number = index(unit, half);
        Row& row = rows_[number];
        if (now >= row.due || special_)
            return read_slowly(number, rhythm, now);
        const Time present = now - row.restored;
        if (present > row.worst && fails(rhythm.group))
            row.worst = present;
        if (row.worst > row.safe)
            fail(number);
        return present;
    }
    /// Rows are refreshed before they are older than this, whatever their history; never: not so.
    void set_oldest(Time age) { oldest_ = age; }
    static constexpr std::uint64_t block_units = 64;
    /// No cell in this block of units can fail at all: its rows need not be read.
    [[nodiscard]] bool calm(std::uint64_t block)
    {
        if (special_ || oldest_ == never)
            return false;
        if (block_safe_[block] == 0)
            block_safe_[block] = safe_age_of(block);
        return oldest_ <= block_safe_[block];
    }
    /// Sets a settled row's next refresh.
    void set_due(std::uint64_t unit, Half half, Time due) { rows_[index(unit, half)].due = due; }

    [[nodiscard]] std::uint64_t flipped() const { return flipped_; }

private:
    struct Row {
        Time restored = 0; ///< written or refreshed last
        Time due = never;  ///< refreshed next
        Time worst = 0;    ///< age since it was written
        Time seen = 0;     ///< worst age when bits were flipped last
        Time safe = 0;     ///< no cell fails at this age that has not failed; 0: not known
    };
    /// The refreshes at `due` and at the multiples of `interval` until `now`.
    struct Round {
        Time due = 0, interval = 0, now = 0;
        Time second = 0;          ///< from `due` to the next; 0: it is not over
        std::uint64_t others = 0; ///< intervals since then
        Time restored = 0, next_due = 0;
    };
    using Bits = std::bitset<row_bits>;

    static std::uint64_t index(std::uint64_t unit, Half half)
    {
        return 2 * unit + (half == Half::Msb ? 0 : 1);
    }
    [[nodiscard]] bool fails(unsigned group) const { return (config_.groups >> group & 1) != 0; }
    Time read_slowly(std::uint64_t row, const Rhythm& rhythm, Time now);
    void settle_row(std::uint64_t row, const Rhythm& rhythm, Time now);
    void work_out(Time due, Time interval, Time now);
    [[nodiscard]] Time safe_age_of(std::uint64_t block) const;
    void keep_failed(std::uint64_t row, std::uint32_t written);
    void age(std::uint64_t row, Time age);
    void endure(std::uint64_t row, Time first, Time second, Time other, std::uint64_t others);
    void fail(std::uint64_t row);
    void rise(std::uint64_t row, Share before, Share after);
    [[nodiscard]] Time datum(std::uint64_t row) const;
    [[nodiscard]] Share failed(std::uint64_t row) const;

    RetentionConfig config_;
    RetentionCurve curve_;
    CellSeed seed_;
    std::uint8_t* bytes_;
    std::vector<Row> rows_;
    std::vector<Time> safe_;       ///< Row::safe where nothing has failed
    std::vector<Time> block_safe_; ///< no cell of the block fails at this age; 0: not known yet
    Time oldest_ = never;
    Round round_; ///< worked out last: rows are mostly alike
    bool iid_;
    bool special_; ///< a read may do more than look for cells that failed by age
    // With Failures::Iid only.
    std::vector<double> survival_; ///< of a cell through all complete intervals, by row
    std::vector<Share> failed_;    ///< share of cells, by row
    std::vector<Share> next_;      ///< no cell that has not failed is weaker, by row
    std::vector<Time> written_;    ///< by unit
    /// Cells that have failed and were not written since, where the rest of the row was.
    std::unordered_map<std::uint64_t, Bits> stale_;
    std::uint64_t flipped_ = 0;
    FailureSink sink_;
};

} // namespace levee::edram
