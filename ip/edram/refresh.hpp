// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/bitmap.hpp"
#include "ip/edram/geometry.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace levee::edram {

using GroupTimes = std::array<Time, LEVEE_EDRAM_GROUPS>;
using GroupCounts = std::array<std::uint64_t, LEVEE_EDRAM_GROUPS>;

struct RefreshConfig {
    GroupTimes intervals{}; ///< Refresh interval of each group; 0: never.
    Time row = 0;           ///< Time to refresh one row: reading and writing back.
    std::string keys{};     ///< The memory's key in the scenario, for messages; may be empty.
};

/// Refresh controllers (Kelle, sections 4.2 and 5.1). They determine when each row is refreshed,
/// the number of refreshes, and the share of each bank's time that refresh takes.
///
/// Rows of a group are due at multiples of the group's interval. If a row changes groups, or its
/// interval changes, its old due time stays valid if that is earlier. Only valid rows are
/// refreshed. The number of refreshes is computed in closed form when something changes, so refresh
/// needs no simulation events.
///
/// A bank's controller spreads the refreshes of a group evenly over the group's interval. A refresh
/// waits while its bank is in use, but at most until the next refresh is due; then it has priority.
/// Each group therefore takes the fraction (number of its rows in the bank x `row` / its interval)
/// of the bank's time. If the groups together leave no time for accesses, that is an error.
///
/// Rows are counted by line, which is an MSB row and the corresponding LSB row. A derived class can
/// implement other rules.
class Refresh {
public:
    Refresh(const Geometry& geometry, const RefreshConfig& config);
    virtual ~Refresh() = default;
    Refresh(const Refresh&) = default;
    Refresh& operator=(const Refresh&) = default;

    /// Counts all refreshes due up to `now`, which must not decrease. Call it before any function
    /// below.
    virtual void settle(Time now);

    /// Make the rows of `lines` lines from `first` on valid (add) or invalid (remove). `add`,
    /// `move` and `set_interval` throw std::runtime_error if refresh would then take all of a
    /// bank's time.
    virtual void add(std::uint64_t first, std::uint64_t lines, bool high);
    virtual void remove(std::uint64_t first, std::uint64_t lines, bool high);
    /// Moves the rows of a valid line to the high or low groups.
    virtual void move(std::uint64_t line, bool to_high);
    using VisitLine = std::function<void(std::uint64_t line, bool high)>;
    /// Sets the interval of a group. `each(visit)` must call visit(line, high) for every valid
    /// line.
    virtual void set_interval(unsigned group, Time interval,
                              const std::function<void(const VisitLine&)>& each);

    /// Returns the next refresh time of a valid row of `group`.
    [[nodiscard]] virtual Time due(std::uint64_t line, Half half, unsigned group) const;
    [[nodiscard]] Time interval(unsigned group) const { return intervals_[group]; }

    /// Returns the fraction of time, below 1, that refresh takes in a bank pair: the larger of the
    /// fractions for its MSB and its LSB bank. Pairs are numbered consecutively through all sides.
    [[nodiscard]] virtual double load(std::size_t pair) const { return load_[pair]; }
    /// A number that changes with every change of a load.
    [[nodiscard]] std::uint64_t load_state() const { return load_state_; }
    /// Largest load of any bank so far.
    [[nodiscard]] double most_load() const { return most_load_; }

    /// Counts as of the last settle().
    [[nodiscard]] const GroupCounts& refreshed() const { return refreshed_; }
    /// Counts as of `now`, which must not be before the last settle(). Changes no state.
    [[nodiscard]] virtual GroupCounts refreshed(Time now) const;
    [[nodiscard]] const GroupCounts& valid_rows() const { return valid_; }
    /// Time for which rows were valid, summed over the rows of each group.
    [[nodiscard]] const std::array<double, LEVEE_EDRAM_GROUPS>& row_time() const
    {
        return row_time_;
    }

private:
    static std::uint64_t row_of(std::uint64_t line, Half half)
    {
        return 2 * line + (half == Half::Msb ? 0 : 1);
    }
    [[nodiscard]] Time after(Time interval) const
    {
        return interval == 0 ? never : (settled_ / interval + 1) * interval;
    }
    void postpone(std::uint64_t row, unsigned from, unsigned to, Time old_due, Time interval);
    void drop_early(std::uint64_t row, unsigned group);
    void drop_early(std::uint64_t first, std::uint64_t lines, bool high);
    void count(std::uint64_t first, std::uint64_t lines, bool high, std::int64_t each);
    void count_side(std::uint64_t first, std::uint64_t lines, bool high, std::int64_t each);
    void settle_group(unsigned group, Time now);
    void weigh(std::size_t first, std::size_t end);
    [[nodiscard]] double load_of(std::size_t pair, Half half) const;
    [[noreturn]] void refuse(std::size_t pair) const;

    Geometry geometry_;
    RefreshConfig config_;
    GroupTimes intervals_;
    GroupTimes next_;            ///< First multiple of each interval after the last settle().
    bool is_programmed_ = false; ///< An interval differs from the configured one.
    Time settled_ = 0;
    GroupCounts valid_{}, refreshed_{};
    std::array<double, LEVEE_EDRAM_GROUPS> row_time_{};
    std::array<std::vector<std::uint64_t>, LEVEE_EDRAM_GROUPS> valid_in_pair_;
    std::vector<double> load_; ///< Load by pair of banks.
    std::uint64_t load_state_ = 0;
    double most_load_ = 0.0;
    /// For each group: number of rows that are due before the next multiple of the interval, by due
    /// time.
    std::array<std::map<Time, std::uint64_t>, LEVEE_EDRAM_GROUPS> early_;
    std::vector<Time> early_due_; ///< Due times of rows that are due early, by row. Times in the
                                  ///< past are meaningless.
    Bitmap has_early_;            ///< Whether a row of the line is due early.
};

} // namespace levee::edram
