// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/refresh.hpp"

#include <algorithm>

namespace levee::edram {

Refresh::Refresh(const Geometry& geometry, const RefreshConfig& config)
    : geometry_(geometry), config_(config), intervals_(config.intervals),
      early_due_(2 * geometry.units(), 0), has_early_(geometry.units(), false),
      use_(geometry.sides() * geometry.bank_pairs())
{
    for (auto& pairs : valid_in_pair_)
        pairs.assign(geometry.sides() * geometry.bank_pairs(), 0);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        next_[group] = after(intervals_[group]);
}

void Refresh::settle(Time now)
{
    if (now == settled_)
        return;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        settle_group(group, now);
    settled_ = now;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        if (next_[group] <= now)
            next_[group] = after(intervals_[group]);
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
    for (Time due = next_[group]; due <= now;) {
        // Refreshes due while utilisation is constant have the same outcome.
        const Time steady = std::min(use_.steady_until(due - window(group)), now);
        const std::uint64_t alike = steady > due ? (steady - due) / interval + 1 : 1;
        refreshed_[group] += alike * valid_[group];
        violations_ += alike * lacking(group, due);
        due += alike * interval;
    }
}

GroupCounts Refresh::refreshed(Time now) const
{
    GroupCounts counts = refreshed_;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group) {
        for (const auto& [due, rows] : early_[group])
            counts[group] += due <= now ? rows : 0;
        if (const Time interval = intervals_[group]; interval > 0)
            counts[group] += (now / interval - settled_ / interval) * valid_[group];
    }
    return counts;
}

/// How long before they are due the group's rows may be refreshed.
Time Refresh::window(unsigned group) const
{
    return config_.slack == 0 ? intervals_[group] : std::min(config_.slack, intervals_[group]);
}

namespace {

/// The other group whose rows lie in the same banks.
unsigned partner(unsigned group)
{
    return group < 2 ? group + 2 : group - 2;
}

} // namespace

/// Number of the group's rows whose banks had no time for their refresh at `due`.
std::uint64_t Refresh::lacking(unsigned group, Time due) const
{
    const Time window = this->window(group);
    const unsigned other = partner(group);
    const BankUse::Window use(use_, due - window, due);
    if (surely_enough(group, use, static_cast<double>(window)))
        return 0;
    std::uint64_t lack = 0;
    const auto row = static_cast<double>(config_.row);
    for (unsigned pair = 0; pair < valid_in_pair_[group].size(); ++pair) {
        if (valid_in_pair_[group][pair] == 0)
            continue;
        double idle = static_cast<double>(window) - use.busy(pair);
        if (!is_high(group) && intervals_[other] > 0)
            idle -= static_cast<double>(valid_in_pair_[other][pair]) * row *
                    static_cast<double>(window) / static_cast<double>(intervals_[other]);
        const double rows = static_cast<double>(valid_in_pair_[group][pair]);
        // A fraction of a row that is due to rounding does not count.
        const double missing = rows - std::max(idle, 0.0) / row;
        if (missing > 1e-6)
            lack += static_cast<std::uint64_t>(missing + 1.0 - 1e-6);
    }
    return lack;
}

/// True if no bank pair can lack time: even the largest row count of any pair would fit into the
/// busiest pair, with a thousandth of the window, more than any rounding error, to spare.
bool Refresh::surely_enough(unsigned group, const BankUse::Window& use, double window) const
{
    const unsigned other = partner(group);
    const auto most = [&](unsigned of) {
        return static_cast<double>(
            *std::max_element(valid_in_pair_[of].begin(), valid_in_pair_[of].end()));
    };
    const auto row = static_cast<double>(config_.row);
    double needed = most(group) * row;
    if (!is_high(group) && intervals_[other] > 0)
        needed += most(other) * row * window / static_cast<double>(intervals_[other]);
    return needed <= 0.999 * window - use.most_busy();
}

void Refresh::add(std::uint64_t first, std::uint64_t units, bool high)
{
    count(first, units, high, 1);
}

void Refresh::remove(std::uint64_t first, std::uint64_t units, bool high)
{
    drop_early(first, units, high);
    count(first, units, high, -1);
}

void Refresh::move(std::uint64_t unit, bool to_high)
{
    for (const Half half : halves) {
        const unsigned from = group_of(!to_high, half);
        const unsigned to = group_of(to_high, half);
        postpone(row_of(unit, half), from, to, due(unit, half, from), intervals_[to]);
    }
    count(unit, 1, !to_high, -1);
    count(unit, 1, to_high, 1);
}

Time Refresh::due(std::uint64_t unit, Half half, unsigned group) const
{
    const Time early = early_due_[row_of(unit, half)];
    return early > settled_ ? early : next_[group];
}

void Refresh::use(Time now, const std::vector<double>& shares)
{
    settle(now);
    use_.change(now, shares);
}

/// Moves a row due at `old_due` to group `to`, whose rows are due at the multiples of `interval`.
void Refresh::postpone(std::uint64_t row, unsigned from, unsigned to, Time old_due, Time interval)
{
    drop_early(row, from);
    if (old_due >= after(interval))
        return;
    early_due_[row] = old_due;
    has_early_.set(row / 2, true);
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

void Refresh::drop_early(std::uint64_t first, std::uint64_t units, bool high)
{
    Bitmap::for_each_word(first, first + units, [&](std::uint64_t number, Bitmap::Word mask) {
        Bitmap::Word& word = has_early_.word(number);
        Bitmap::for_each_bit(number, word & mask, [&](std::uint64_t unit) {
            for (const Half half : halves)
                drop_early(row_of(unit, half), group_of(high, half));
        });
        word &= ~mask;
    });
}

/// Adds `each` to the row counts for each of the units.
void Refresh::count(std::uint64_t first, std::uint64_t units, bool high, std::int64_t each)
{
    const std::uint64_t side = geometry_.side_units();
    while (units > 0) {
        const std::uint64_t here = std::min(units, side - first % side);
        count_side(first, here, high, each);
        first += here;
        units -= here;
    }
}

/// Counts units of one side, which go to its bank pairs in turn.
void Refresh::count_side(std::uint64_t first, std::uint64_t units, bool high, std::int64_t each)
{
    const auto by = [&](std::uint64_t rows) {
        return static_cast<std::uint64_t>(each) * rows; // modulo 2^64
    };
    const std::uint64_t pairs = geometry_.bank_pairs();
    const std::uint64_t side = first / geometry_.side_units();
    const std::uint64_t rounds = units / pairs;
    const std::uint64_t start = first % geometry_.side_units() % pairs;
    for (const Half half : halves) {
        const unsigned group = group_of(high, half);
        valid_[group] += by(units);
        std::uint64_t* const rows = &valid_in_pair_[group][side * pairs];
        if (rounds > 0)
            for (std::uint64_t pair = 0; pair < pairs; ++pair)
                rows[pair] += by(rounds);
        for (std::uint64_t i = 0, pair = start; i < units % pairs; ++i) {
            rows[pair] += by(1);
            pair = pair + 1 == pairs ? 0 : pair + 1;
        }
    }
}

} // namespace levee::edram
