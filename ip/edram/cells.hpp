// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/retention.hpp"

#include <bitset>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace levee::edram {

/// Called for every row with newly failed bits; `flipped` is their number.
using FailureSink = std::function<void(const RowFailure&, unsigned flipped)>;

/// Refresh schedule of a row: at `due`, then at the multiples of `interval` (0: never).
struct Rhythm {
    unsigned group = 0;
    Time interval = 0;
};

/// The cells of an eDRAM as they age: a read flips the bits of a row whose retention time has
/// passed. The state of a row is updated lazily, when it is accessed, unit by unit: here a row is a
/// (unit, half), the part of a bank's row that one access moves. Each function's `now` is not
/// earlier than that of the previous call.
class Cells {
public:
    /// `bytes`: the stored data; outlives this.
    Cells(const Geometry& geometry, const RetentionConfig& config, CellSeed seed,
          std::uint8_t* bytes);

    void observe(FailureSink sink) { sink_ = std::move(sink); }

    /// Records a write of all 32 bytes of the unit, whose rows are next refreshed at `due`.
    void restart(std::uint64_t unit, Time now, Time due_msb, Time due_lsb);
    /// Records a write of the bytes whose bit is set in `written`. Called before they change, for
    /// rows that are valid and settled until `now`.
    void restart_part(std::uint64_t unit, std::uint32_t written, Time now);

    /// Carries out a valid row's refreshes until `now`; bits that fail meanwhile flip at the next
    /// read.
    void settle(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now);
    /// Reads a valid row: settles it, flips the bits that fail at its present age, and returns that
    /// age.
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
    /// Restores a valid row, as a refresh does: bits that have failed flip at the next read.
    void restore(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now);
    /// Sets the age that no row exceeds before it is refreshed, in any history; never: no such
    /// bound.
    void set_oldest(Time age) { oldest_ = age; }
    static constexpr std::uint64_t block_units = 64;
    /// True if no cell in this block of units can fail, so that its rows need not be read.
    [[nodiscard]] bool calm(std::uint64_t block)
    {
        if (special_ || oldest_ == never)
            return false;
        if (block_safe_[block] == 0)
            block_safe_[block] = safe_age_of(block);
        return oldest_ <= block_safe_[block];
    }
    /// Sets the width of the elements in the units [first, end), which hold no data.
    void set_element_bits(std::uint64_t first, std::uint64_t end, unsigned bits);
    /// Sets a settled row's next refresh.
    void set_due(std::uint64_t unit, Half half, Time due) { rows_[index(unit, half)].due = due; }

    [[nodiscard]] std::uint64_t flipped() const { return flipped_; }

private:
    struct Row {
        Time restored = 0; ///< last write or refresh
        Time due = never;  ///< next refresh
        Time worst = 0;    ///< greatest age since it was written
        Time seen = 0;     ///< worst age when bits were last flipped
        Time safe = 0;     ///< Age up to which no further cell fails; 0: unknown.
    };
    /// The refreshes of a row at `due` and at the multiples of `interval` until `now`.
    struct Round {
        Time due = 0, interval = 0, now = 0;
        Time second = 0;          ///< Time from `due` to the next refresh; 0: not over yet.
        std::uint64_t others = 0; ///< intervals after the second
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
    std::vector<Time> safe_;                 ///< Row::safe where nothing has failed
    std::vector<std::uint8_t> element_bits_; ///< Bits of an element, by unit.
    std::vector<Time> block_safe_; ///< age up to which no cell of the block fails; 0: unknown
    Time oldest_ = never;
    Round round_; ///< cache of the last round computed: most rows share it
    bool iid_;
    bool special_; ///< a read may have effects beyond cells that fail by age
    // With Failures::Iid only.
    /// Probability that a cell has survived all complete intervals, by row.
    std::vector<double> survival_;
    std::vector<Share> failed_; ///< share of failed cells, by row
    std::vector<Share> next_;   ///< least strength of the cells that have not failed, by row
    std::vector<Time> written_; ///< Write times by unit.
    /// Failed cells that were not rewritten with the rest of their row.
    std::unordered_map<std::uint64_t, Bits> stale_;
    std::uint64_t flipped_ = 0;
    FailureSink sink_;
};

} // namespace levee::edram
