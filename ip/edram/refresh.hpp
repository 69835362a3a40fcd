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
    Time row = 0;           ///< to refresh one: read and write back
    Time slack = 0; ///< so long before it is due a row may be refreshed; 0: its whole interval
};

/// The refresh controllers (Kelle, sections 4.2 and 5.1): which rows are refreshed when, how many
/// have been, and whether their banks had the time. Rows of a group are due at the multiples of its
/// interval; a row that changes groups, or whose interval changes, is due when it was before if
/// that comes first. Only valid rows. Nothing happens in between: counts are worked out when
/// something changes.
///
/// A refresh is done in the bank's idle time within the slack before it is due. Where reads and
/// writes, and the high group's refreshes in the same bank at their average rate before the low
/// group's, leave too little, the rows that lack it count as violations: done when due all the
/// same.
class Refresh {
public:
    Refresh(const Geometry& geometry, const RefreshConfig& config);

    /// Counts everything due until `now`, which is at least that of the call before. The functions
    /// below need it done.
    void settle(Time now);

    /// The rows of `units` units from `first` on become valid, or invalid.
    void add(std::uint64_t first, std::uint64_t units, bool high);
    void remove(std::uint64_t first, std::uint64_t units, bool high);
    /// A valid unit's rows go to the other groups.
    void move(std::uint64_t unit, bool to_high);
    /// `each(visit)` calls visit(unit, high) for every valid unit.
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

    /// When a valid row of `group` is refreshed next.
    [[nodiscard]] Time due(std::uint64_t unit, Half half, unsigned group) const;
    [[nodiscard]] Time interval(unsigned group) const { return intervals_[group]; }

    /// Shares of their time that the bank pairs of all sides are in use from `now` on.
    void use(Time now, const std::vector<double>& shares);

    /// Until the last settle().
    [[nodiscard]] const GroupCounts& refreshed() const { return refreshed_; }
    /// Until `now`, which is not before the last settle(); settles nothing.
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
    GroupTimes next_; ///< the first multiple after what is settled
    Time settled_ = 0;
    GroupCounts valid_{}, refreshed_{};
    std::array<double, LEVEE_EDRAM_GROUPS> row_time_{};
    std::array<std::vector<std::uint64_t>, LEVEE_EDRAM_GROUPS> valid_in_pair_;
    /// Rows due before the next multiple of their group's interval, by the time.
    std::array<std::map<Time, std::uint64_t>, LEVEE_EDRAM_GROUPS> early_;
    std::vector<Time> early_due_; ///< by row; if not past: such a row's
    Bitmap has_early_;            ///< by unit: one of its rows may have one
    BankUse use_;
    std::uint64_t violations_ = 0;
};

} // namespace levee::edram
