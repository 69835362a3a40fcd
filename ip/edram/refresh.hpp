// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/bank_use.hpp"
#include "ip/edram/bitmap.hpp"
#include "ip/edram/geometry.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace levee::edram {

using GroupTimes = std::array<Time, LEVEE_EDRAM_GROUPS>;
using GroupCounts = std::array<std::uint64_t, LEVEE_EDRAM_GROUPS>;

struct RefreshConfig {
    GroupTimes intervals{}; ///< 0: never
    Time row = 0;           ///< time to refresh one row: read and write back
    Time slack = 0; ///< how long before it is due a row may be refreshed; 0: its whole interval
};

/// The refresh controllers (Kelle, sections 4.2 and 5.1): when each row is refreshed, how many
/// refreshes have been done, and whether the banks had time for them. Rows of a group are due at
/// the multiples of its interval; a row that changes groups, or whose interval changes, keeps its
/// earlier due time if that comes first. Only valid rows are refreshed. Counts are updated in
/// closed form when something changes; refresh itself costs no event.
///
/// A refresh is done in the bank's idle time within the slack before it is due. Reads and writes
/// come first, and the high group's refreshes in the same bank, at their average rate, come before
/// the low group's. Rows for which too little time remains count as violations and are refreshed
/// when due all the same.
class Refresh {
public:
    Refresh(const Geometry& geometry, const RefreshConfig& config);

    /// Counts all refreshes due until `now`, which is at least that of the call before. Call it
    /// before any of the functions below.
    void settle(Time now);

    /// The rows of `units` units from `first` on become valid, or invalid.
    void add(std::uint64_t first, std::uint64_t units, bool high);
    void remove(std::uint64_t first, std::uint64_t units, bool high);
    /// Moves a valid unit's rows to the other groups.
    void move(std::uint64_t unit, bool to_high);
    /// `each(visit)` must call visit(unit, high) for every valid unit.
    template <typename Each> void set_interval(unsigned group, Time interval, Each each)
    {
        each([&](std::uint64_t unit, bool high) {
            for (const Half half : halves)
                if (group_of(high, half) == group)
                    postpone(row_of(unit, half), group, group, due(unit, half, group), interval);
        });
        intervals_[group] = interval;
        next_[group] = after(interval);
    }

    /// Next refresh time of a valid row of `group`.
    [[nodiscard]] Time due(std::uint64_t unit, Half half, unsigned group) const;
    [[nodiscard]] Time interval(unsigned group) const { return intervals_[group]; }

    /// Sets the shares of time that the bank pairs of all sides are in use from `now` on.
    void use(Time now, const std::vector<double>& shares);

    /// As of the last settle().
    [[nodiscard]] const GroupCounts& refreshed() const { return refreshed_; }
    /// As of `now`, which is not before the last settle(); settles nothing.
    [[nodiscard]] GroupCounts refreshed(Time now) const;
    [[nodiscard]] const GroupCounts& valid_rows() const { return valid_; }
    /// Time that rows were valid, summed over the rows of each group.
    [[nodiscard]] const std::array<double, LEVEE_EDRAM_GROUPS>& row_time() const
    {
        return row_time_;
    }
    [[nodiscard]] std::uint64_t violations() const { return violations_; }

private:
    static std::uint64_t row_of(std::uint64_t unit, Half half)
    {
        return 2 * unit + (half == Half::Msb ? 0 : 1);
    }
    [[nodiscard]] Time after(Time interval) const
    {
        return interval == 0 ? never : (settled_ / interval + 1) * interval;
    }
    [[nodiscard]] Time window(unsigned group) const;
    void postpone(std::uint64_t row, unsigned from, unsigned to, Time old_due, Time interval);
    void drop_early(std::uint64_t row, unsigned group);
    void drop_early(std::uint64_t first, std::uint64_t units, bool high);
    void count(std::uint64_t first, std::uint64_t units, bool high, std::int64_t each);
    void count_side(std::uint64_t first, std::uint64_t units, bool high, std::int64_t each);
    void settle_group(unsigned group, Time now);
    [[nodiscard]] std::uint64_t lacking(unsigned group, Time due) const;
    [[nodiscard]] bool surely_enough(unsigned group, const BankUse::Window& use,
                                     double window) const;

    Geometry geometry_;
    RefreshConfig config_;
    GroupTimes intervals_;
    GroupTimes next_; ///< each interval's first multiple after the last settle()
    Time settled_ = 0;
    GroupCounts valid_{}, refreshed_{};
    std::array<double, LEVEE_EDRAM_GROUPS> row_time_{};
    std::array<std::vector<std::uint64_t>, LEVEE_EDRAM_GROUPS> valid_in_pair_;
    /// Rows due before the next multiple of their group's interval, by due time.
    std::array<std::map<Time, std::uint64_t>, LEVEE_EDRAM_GROUPS> early_;
    std::vector<Time> early_due_; ///< by row; if not past: the due time of such a row
    Bitmap has_early_;            ///< by unit: one of its rows may be such a row
    BankUse use_;
    std::uint64_t violations_ = 0;
};

} // namespace levee::edram
