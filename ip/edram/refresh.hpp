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
    GroupTimes intervals{}; ///< 0: never
    Time row = 0;           ///< time to refresh one row: read and write back
    std::string keys{};     ///< the memory's key in the scenario, for messages; empty: none
};

/// The refresh controllers (Kelle, sections 4.2 and 5.1): when each row is refreshed, how many
/// refreshes have been done, and the share of each bank's time that they take. Rows of a group are
/// due at the multiples of its interval; a row that changes groups, or whose interval changes,
/// keeps its earlier due time if that comes first. Only valid rows are refreshed. Counts are
/// updated in closed form when something changes; refresh itself costs no event.
///
/// Within an interval a bank's controller spreads the refreshes of a group evenly. Each waits while
/// its bank is in use, until the next one's turn; then it goes first. A bank's refreshes therefore
/// take the sum of rows x `row` / interval of its time, over the groups, whatever else it does. A
/// bank that would have no time left is an error.
///
/// Rows are counted by lines: an MSB row and the LSB row at the same place. A derived class may
/// refresh by other rules.
class Refresh {
public:
    Refresh(const Geometry& geometry, const RefreshConfig& config);
    virtual ~Refresh() = default;
    Refresh(const Refresh&) = default;
    Refresh& operator=(const Refresh&) = default;

    /// Counts all refreshes due until `now`, which is not earlier than that of the previous call.
    /// Call it before any of the functions below.
    virtual void settle(Time now);

    /// The rows of `lines` lines from `first` on become valid, or invalid. Like `move` and
    /// `set_interval`, `add` throws std::runtime_error if refresh then takes all of a bank's time.
    virtual void add(std::uint64_t first, std::uint64_t lines, bool high);
    virtual void remove(std::uint64_t first, std::uint64_t lines, bool high);
    /// Moves a valid line's rows to the other groups.
    virtual void move(std::uint64_t line, bool to_high);
    using VisitLine = std::function<void(std::uint64_t line, bool high)>;
    /// `each(visit)` must call visit(line, high) for every valid line.
    virtual void set_interval(unsigned group, Time interval,
                              const std::function<void(const VisitLine&)>& each);

    /// Next refresh time of a valid row of `group`.
    [[nodiscard]] virtual Time due(std::uint64_t line, Half half, unsigned group) const;
    [[nodiscard]] Time interval(unsigned group) const { return intervals_[group]; }

    /// Share of time, below 1, that refresh takes of the MSB or the LSB bank of a pair, whichever
    /// is larger. `pair` counts through all sides.
    [[nodiscard]] virtual double load(std::size_t pair) const { return load_[pair]; }
    /// A number that changes whenever a load changes.
    [[nodiscard]] std::uint64_t load_state() const { return load_state_; }
    /// Largest load of any bank so far.
    [[nodiscard]] double most_load() const { return most_load_; }

    /// Counts at the last settle().
    [[nodiscard]] const GroupCounts& refreshed() const { return refreshed_; }
    /// Counts at `now`, which is not before the last settle(); changes no state.
    [[nodiscard]] virtual GroupCounts refreshed(Time now) const;
    [[nodiscard]] const GroupCounts& valid_rows() const { return valid_; }
    /// Time that rows were valid, summed over the rows of each group.
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
    bool is_programmed_ = false; ///< an interval is not the configured one
    Time settled_ = 0;
    GroupCounts valid_{}, refreshed_{};
    std::array<double, LEVEE_EDRAM_GROUPS> row_time_{};
    std::array<std::vector<std::uint64_t>, LEVEE_EDRAM_GROUPS> valid_in_pair_;
    std::vector<double> load_; ///< Load by pair of banks.
    std::uint64_t load_state_ = 0;
    double most_load_ = 0.0;
    /// Number of rows that are due before the next multiple of their group's interval, by due time.
    std::array<std::map<Time, std::uint64_t>, LEVEE_EDRAM_GROUPS> early_;
    std::vector<Time> early_due_; ///< Due times of rows that are due early, by row; invalid if
                                  ///< past.
    Bitmap has_early_;            ///< Whether a row of the line is due early, by line.
};

} // namespace levee::edram
