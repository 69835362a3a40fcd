#include "ip/edram/refresh.hpp"

#include <algorithm>

namespace levee::edram {

Refresh::Refresh(const Geometry& geometry, const RefreshConfig& config)
    : geometry_(geometry), config_(config), intervals_(config.intervals),
      early_due_(2 * geometry.units(), 0), use_(geometry.sides() * geometry.bank_pairs())
{
    for (auto& pairs : valid_in_pair_)
        pairs.assign(geometry.sides() * geometry.bank_pairs(), 0);
}

void Refresh::settle(Time now)
{
    if (now == settled_)
        return;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        settle_group(group, now);
    settled_ = now;
    Time longest = config_.slack;
    if (longest == 0)
        longest = *std::max_element(intervals_.begin(), intervals_.end());
    use_.forget(now > longest ? now - longest : 0);
}

void Refresh::settle_group(unsigned group, Time now)
{
    row_time_[group] += static_cast<double>(valid_[group]) * static_cast<double>(now - settled_);
    auto& early = early_[group];
    for (auto at = early.begin(); at != early.end() && at->first <= now; at = early.erase(at))
        refreshed_[group] += at->second;
    const Time interval = intervals_[group];
    if (interval == 0 || valid_[group] == 0)
        return;
    for (Time due = after(interval); due <= now;) {
        // All that are due while nothing changes fare alike.
        const Time window = config_.slack == 0 ? interval : std::min(config_.slack, interval);
        const Time steady = std::min(use_.steady_until(due - window), now);
        const std::uint64_t alike = steady > due ? (steady - due) / interval + 1 : 1;
        refreshed_[group] += alike * valid_[group];
        violations_ += alike * lacking(group, due);
        due += alike * interval;
    }
}

/// Rows of the group for whose refresh at `due` their banks had no time.
std::uint64_t Refresh::lacking(unsigned group, Time due) const
{
    const Time interval = intervals_[group];
    const Time window = config_.slack == 0 ? interval : std::min(config_.slack, interval);
    const unsigned other = group < 2 ? group + 2 : group - 2; // of the same banks
    std::uint64_t lack = 0;
    const auto row = static_cast<double>(config_.row);
    for (unsigned pair = 0; pair < valid_in_pair_[group].size(); ++pair) {
        if (valid_in_pair_[group][pair] == 0)
            continue;
        double idle = static_cast<double>(window) - use_.busy(pair, due - window, due);
        if (!is_high(group) && intervals_[other] > 0)
            idle -= static_cast<double>(valid_in_pair_[other][pair]) * row *
                    static_cast<double>(window) / static_cast<double>(intervals_[other]);
        const double rows = static_cast<double>(valid_in_pair_[group][pair]);
        // What rounding leaves of a row is none.
        const double missing = rows - std::max(idle, 0.0) / row;
        if (missing > 1e-6)
            lack += static_cast<std::uint64_t>(missing + 1.0 - 1e-6);
    }
    return lack;
}

void Refresh::add(std::uint64_t unit, bool high)
{
    for (const Half half : halves)
        count(group_of(high, half), unit, 1);
}

void Refresh::remove(std::uint64_t unit, bool high)
{
    for (const Half half : halves) {
        const unsigned group = group_of(high, half);
        drop_early(row_of(unit, half), group);
        count(group, unit, -1);
    }
}

void Refresh::move(std::uint64_t unit, bool to_high)
{
    for (const Half half : halves) {
        const unsigned from = group_of(!to_high, half);
        const unsigned to = group_of(to_high, half);
        postpone(row_of(unit, half), from, to, due(unit, half, from), intervals_[to]);
        count(from, unit, -1);
        count(to, unit, 1);
    }
}

Time Refresh::due(std::uint64_t unit, Half half, unsigned group) const
{
    const Time early = early_due_[row_of(unit, half)];
    return early > settled_ ? early : next_multiple(group);
}

void Refresh::use(Time now, const std::vector<double>& shares)
{
    settle(now);
    use_.change(now, shares);
}

unsigned Refresh::pair_of(std::uint64_t unit) const
{
    const auto side = static_cast<unsigned>(unit / geometry_.side_units());
    const unsigned pairs = geometry_.bank_pairs();
    return side * pairs + static_cast<unsigned>(unit % geometry_.side_units() % pairs);
}

/// A row due at `old_due` goes to group `to`, where rows are due at the multiples of `interval`.
void Refresh::postpone(std::uint64_t row, unsigned from, unsigned to, Time old_due, Time interval)
{
    drop_early(row, from);
    if (old_due >= after(interval))
        return;
    early_due_[row] = old_due;
    ++early_[to][old_due];
}

void Refresh::drop_early(std::uint64_t row, unsigned group)
{
    const Time due = early_due_[row];
    if (due <= settled_)
        return;
    const auto at = early_[group].find(due);
    if (--at->second == 0)
        early_[group].erase(at);
    early_due_[row] = 0;
}

void Refresh::count(unsigned group, std::uint64_t unit, std::int64_t rows)
{
    valid_[group] += static_cast<std::uint64_t>(rows);
    valid_in_pair_[group][pair_of(unit)] += static_cast<std::uint64_t>(rows);
}

} // namespace levee::edram
