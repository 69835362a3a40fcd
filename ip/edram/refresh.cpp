// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/refresh.hpp"

#include "ip/edram/declaration.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace levee::edram {

Refresh::Refresh(const Geometry& geometry, const RefreshConfig& config)
    : geometry_(geometry), config_(config), intervals_(config.intervals),
      load_(geometry.sides() * geometry.bank_pairs(), 0.0), early_due_(2 * geometry.lines(), 0),
      has_early_(geometry.lines(), false)
{
    for (auto& pairs : valid_in_pair_)
        pairs.assign(load_.size(), 0);
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
}

void Refresh::settle_group(unsigned group, Time now)
{
    row_time_[group] += static_cast<double>(valid_[group]) * static_cast<double>(now - settled_);
    auto& early = early_[group];
    for (auto at = early.begin(); at != early.end() && at->first <= now; at = early.erase(at))
        refreshed_[group] += at->second;
    if (const Time interval = intervals_[group]; interval > 0)
        refreshed_[group] += (now / interval - settled_ / interval) * valid_[group];
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

double Refresh::load_of(std::size_t pair, Half half) const
{
    double load = 0.0;
    for (const bool high : {true, false}) {
        const unsigned group = group_of(high, half);
        if (intervals_[group] > 0)
            load += static_cast<double>(valid_in_pair_[group][pair] * config_.row) /
                    static_cast<double>(intervals_[group]);
    }
    return load;
}

void Refresh::weigh(std::size_t first, std::size_t end)
{
    for (std::size_t pair = first; pair < end; ++pair) {
        const double load = std::max(load_of(pair, Half::Msb), load_of(pair, Half::Lsb));
        if (load == load_[pair])
            continue;
        if (load >= 1.0)
            refuse(pair);
        load_[pair] = load;
        most_load_ = std::max(most_load_, load);
        ++load_state_;
    }
}

namespace {

std::string in_us(Time time)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g us", static_cast<double>(time) / 1e6);
    return text;
}

} // namespace

/// Throws an error which says that refresh leaves a bank of this pair no time for accesses.
void Refresh::refuse(std::size_t pair) const
{
    const Half half = load_of(pair, Half::Msb) >= 1.0 ? Half::Msb : Half::Lsb;
    std::string rows;
    for (const bool high : {true, false}) {
        const unsigned group = group_of(high, half);
        if (valid_in_pair_[group][pair] > 0 && intervals_[group] > 0)
            rows += (rows.empty() ? "" : ", ") + std::to_string(valid_in_pair_[group][pair]) +
                    " rows of " + group_names[group] + " every " + in_us(intervals_[group]);
    }
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.0f", 100.0 * load_of(pair, half));
    const std::string source = is_programmed_
                                   ? "'kv_cache.refresh' or 'kv_cache.activation_refresh'"
                                   : "'" + config_.keys + ".intervals'";
    throw std::runtime_error((config_.keys.empty() ? "eDRAM" : "'" + config_.keys + "'") +
                             ": refresh alone takes " + percent + " % of a bank's time: " + rows +
                             ", " + in_us(config_.row) +
                             " each; expected less than 100 %: longer intervals (" + source +
                             "), a shorter 'refresh' or more 'banks'");
}

void Refresh::add(std::uint64_t first, std::uint64_t lines, bool high)
{
    count(first, lines, high, 1);
}

void Refresh::remove(std::uint64_t first, std::uint64_t lines, bool high)
{
    drop_early(first, lines, high);
    count(first, lines, high, -1);
}

void Refresh::move(std::uint64_t line, bool to_high)
{
    for (const Half half : halves) {
        const unsigned from = group_of(!to_high, half);
        const unsigned to = group_of(to_high, half);
        postpone(row_of(line, half), from, to, due(line, half, from), intervals_[to]);
    }
    count(line, 1, !to_high, -1);
    count(line, 1, to_high, 1);
}

void Refresh::set_interval(unsigned group, Time interval,
                           const std::function<void(const VisitLine&)>& each)
{
    each([&](std::uint64_t line, bool high) {
        for (const Half half : halves)
            if (group_of(high, half) == group)
                postpone(row_of(line, half), group, group, due(line, half, group), interval);
    });
    intervals_[group] = interval;
    is_programmed_ = true;
    next_[group] = after(interval);
    weigh(0, load_.size());
}

Time Refresh::due(std::uint64_t line, Half half, unsigned group) const
{
    const Time early = early_due_[row_of(line, half)];
    return early > settled_ ? early : next_[group];
}

/// Moves a row from group `from` to group `to`. If the row's old due time is before the next
/// multiple of `interval`, the interval of group `to`, the row keeps its old due time.
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

void Refresh::drop_early(std::uint64_t first, std::uint64_t lines, bool high)
{
    Bitmap::for_each_word(first, first + lines, [&](std::uint64_t number, Bitmap::Word mask) {
        Bitmap::Word& word = has_early_.word(number);
        Bitmap::for_each_bit(number, word & mask, [&](std::uint64_t line) {
            for (const Half half : halves)
                drop_early(row_of(line, half), group_of(high, half));
        });
        word &= ~mask;
    });
}

/// Adds `each` to the row counts for each of these lines.
void Refresh::count(std::uint64_t first, std::uint64_t lines, bool high, std::int64_t each)
{
    const std::uint64_t side = geometry_.side_lines();
    while (lines > 0) {
        const std::uint64_t here = std::min(lines, side - first % side);
        count_side(first, here, high, each);
        first += here;
        lines -= here;
    }
}

/// Counts lines of one side. Consecutive lines go to consecutive bank pairs.
void Refresh::count_side(std::uint64_t first, std::uint64_t lines, bool high, std::int64_t each)
{
    const auto by = [&](std::uint64_t rows) {
        return static_cast<std::uint64_t>(each) * rows; // Negative counts wrap around modulo 2^64.
    };
    const std::uint64_t pairs = geometry_.bank_pairs();
    const std::uint64_t side = first / geometry_.side_lines();
    const std::uint64_t rounds = lines / pairs;
    const std::uint64_t start = first % geometry_.side_lines() % pairs;
    for (const Half half : halves) {
        const unsigned group = group_of(high, half);
        valid_[group] += by(lines);
        std::uint64_t* const rows = &valid_in_pair_[group][side * pairs];
        if (rounds > 0)
            for (std::uint64_t pair = 0; pair < pairs; ++pair)
                rows[pair] += by(rounds);
        for (std::uint64_t i = 0, pair = start; i < lines % pairs; ++i) {
            rows[pair] += by(1);
            pair = pair + 1 == pairs ? 0 : pair + 1;
        }
    }
    if (rounds > 0 || start + lines > pairs)
        weigh(side * pairs, (side + 1) * pairs);
    else
        weigh(side * pairs + start, side * pairs + start + lines);
}

} // namespace levee::edram
