// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/retention.hpp"

#include <bitset>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace levee::edram {

/// Called for every row with newly failed bits. `flipped` is their number.
using FailureSink = std::function<void(const RowFailure&, unsigned flipped)>;

/// Refresh schedule of a row: first at Row::due, then at multiples of `interval` (0: never).
struct Rhythm {
    unsigned group = 0;
    Time interval = 0;
};

/// Ageing cells of an eDRAM. A read flips the bits whose retention time has passed. A row's state
/// is updated only when the row is accessed. In this class a row is the pair (unit, half): the part
/// of a bank's row that one access moves. `now` must not decrease from call to call.
class Cells {
public:
    /// `bytes` is the stored data; it must outlive this object.
    Cells(const Geometry& geometry, const RetentionConfig& config, CellSeed seed,
          std::uint8_t* bytes);

    void observe(FailureSink sink) { sink_ = std::move(sink); }

    /// Records a write of all 32 bytes of the unit. `due_msb` and `due_lsb` are the next refreshes
    /// of its rows.
    void restart(std::uint64_t unit, Time now, Time due_msb, Time due_lsb);
    /// Records a write of the unit's bytes that are marked in `written` (bit i: byte i). Call it
    /// before the bytes change. The rows must be valid and settled to `now`.
    void restart_part(std::uint64_t unit, std::uint32_t written, Time now);

    /// Applies the refreshes of a valid row up to `now`. Bits that failed meanwhile flip at the
    /// next read.
    void settle(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now);
    /// Reads a valid row: applies its refreshes, flips the bits that fail at its present age, and
    /// returns that age.
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
    /// Restores a valid row, as a refresh does. Bits that have failed flip at the next read.
    void restore(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now);
    /// Sets the greatest age that any row can reach before it is refreshed; `never`: no limit.
    void set_oldest(Time age) { oldest_ = age; }
    static constexpr std::uint64_t block_units = 64;
    /// True if no cell in this block of units can fail, so that reads of it need no check.
    [[nodiscard]] bool calm(std::uint64_t block)
    {
        if (special_ || oldest_ == never)
            return false;
        if (block_safe_[block] == 0)
            block_safe_[block] = safe_age_of(block);
        return oldest_ <= block_safe_[block];
    }
    /// Sets the element width of the units [first, end). They must hold no data.
    void set_element_bits(std::uint64_t first, std::uint64_t end, unsigned bits);
    /// Sets the next refresh of a row that settle() has brought up to date.
    void set_due(std::uint64_t unit, Half half, Time due) { rows_[index(unit, half)].due = due; }

    [[nodiscard]] std::uint64_t flipped() const { return flipped_; }

private:
    struct Row {
        Time restored = 0; ///< Time of the last write or refresh.
        Time due = never;  ///< Time of the next refresh.
        Time worst = 0;    ///< Greatest age that the row's data has reached since it was written.
        Time seen = 0;     ///< Value of `worst` when bits were last flipped. Cells that fail up to
                           ///< this age are already flipped.
        Time safe = 0;     ///< Age up to which no further cell fails; 0: unknown.
    };
    /// Refreshes of a row up to `now`. The first is at `due`, the others at multiples of
    /// `interval`.
    struct Round {
        Time due = 0, interval = 0, now = 0;
        Time second = 0;          ///< Time from `due` to the next refresh; 0: that refresh is still
                                  ///< in the future.
        std::uint64_t others = 0; ///< Number of intervals after the second.
        Time restored = 0, next_due = 0;
    };
    using Bits = std::bitset<unit_bits>;

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
    std::vector<Time> safe_;                 ///< Value of Row::safe while no cell has failed.
    std::vector<std::uint8_t> element_bits_; ///< Bits of an element, by unit.
    std::vector<Time> block_safe_; ///< Age up to which no cell of the block fails; 0: unknown.
    Time oldest_ = never;
    Round round_; ///< The last round computed, kept because most rows share it.
    bool iid_;
    bool special_; ///< Every read needs read_slowly(): failures are drawn per interval, or reads
                   ///< restore cells.
    // The following members are used only with Failures::Iid. Probability, by row, that a cell has
    // survived all complete intervals.
    std::vector<double> survival_;
    std::vector<Share> failed_; ///< Fraction of failed cells, by row.
    std::vector<Share> next_;   ///< Lowest strength among the cells that have not failed, by row.
    std::vector<Time> written_; ///< Write times by unit.
    /// Failed cells, by row, in bytes that kept their data when other bytes of the row were
    /// overwritten.
    std::unordered_map<std::uint64_t, Bits> stale_;
    std::uint64_t flipped_ = 0;
    FailureSink sink_;
};

} // namespace levee::edram
