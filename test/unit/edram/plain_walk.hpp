// SPDX-License-Identifier: Apache-2.0
// A plain version of an eDRAM's bookkeeping, line by line and byte by byte as in the README. The
// shortcuts of edram::Array must give the same results. Cells do not fail in this version.
#pragma once

#include "ip/edram/array.hpp"
#include "ip/kv_tables/operations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace levee::edram_test {

using namespace levee::edram;

class PlainWalk {
public:
    PlainWalk(const Geometry& geometry, const RefreshConfig& config)
        : geometry_(geometry), config_(config), intervals_(config.intervals),
          wanted_(geometry.size_bytes, 0), data_(geometry.lines(), 0), high_(geometry.lines(), 1),
          early_due_(2 * geometry.lines(), 0), scores_(Array::score_count(geometry), 0),
          pairs_(geometry.sides() * geometry.bank_pairs())
    {
        for (auto& pairs : in_pair_)
            pairs.assign(pairs_, 0);
    }

    void write(std::uint64_t address, std::uint64_t bytes, Time now)
    {
        settle(now);
        for (std::uint64_t at = address; at < address + bytes; ++at) {
            const std::uint64_t line = at / geometry_.line_bytes();
            if (wanted_[at] != 0)
                continue;
            wanted_[at] = 1;
            if (data_[line]++ == 0)
                count(line, 1);
        }
    }
    void discard(std::uint64_t address, std::uint64_t bytes, Time now)
    {
        settle(now);
        for (std::uint64_t at = address; at < address + bytes; ++at) {
            const std::uint64_t line = at / geometry_.line_bytes();
            if (wanted_[at] == 0)
                continue;
            wanted_[at] = 0;
            if (--data_[line] > 0)
                continue;
            for (const Half half : halves)
                drop_early(line, half, group_of(high_[line] != 0, half));
            count(line, -1);
        }
    }
    void set_interval(unsigned group, Time interval, Time now)
    {
        settle(now);
        for (std::uint64_t line = 0; line < data_.size(); ++line)
            for (const Half half : halves)
                if (data_[line] != 0 && group_of(high_[line] != 0, half) == group)
                    postpone(line, half, group, group, due(line, half, group), interval);
        intervals_[group] = interval;
    }
    void set_region(const Region& region, Time now)
    {
        settle(now);
        region_ = region;
        regroup();
    }
    void write_scores(std::uint64_t first, const std::vector<std::uint8_t>& values, Time now)
    {
        settle(now);
        for (const std::uint8_t value : values) { // Rows change groups one after the other.
            const bool changes = ((scores_[first] ^ value) & LEVEE_SE_VIEW_HIGH) != 0;
            scores_[first++] = value;
            if (changes)
                regroup();
        }
    }
    void settle(Time now)
    {
        if (now == settled_)
            return;
        for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
            settle(group, now);
        settled_ = now;
    }

    [[nodiscard]] const GroupCounts& refreshed() const { return refreshed_; }
    [[nodiscard]] const GroupCounts& valid_rows() const { return valid_; }
    [[nodiscard]] const std::array<double, LEVEE_EDRAM_GROUPS>& row_time() const
    {
        return row_time_;
    }
    /// Returns the load of the MSB or LSB bank of the pair.
    [[nodiscard]] double load(std::size_t pair) const
    {
        const auto share = [&](unsigned group) {
            return intervals_[group] == 0
                       ? 0.0
                       : static_cast<double>(in_pair_[group][pair] * config_.row) /
                             static_cast<double>(intervals_[group]);
        };
        return std::max(share(0) + share(2), share(1) + share(3));
    }
    [[nodiscard]] bool is_valid(std::uint64_t line) const { return data_[line] != 0; }
    [[nodiscard]] bool is_high(std::uint64_t line) const { return high_[line] != 0; }
    [[nodiscard]] Time due(std::uint64_t line, Half half, unsigned group) const
    {
        const Time early = early_due_[row(line, half)];
        return early > settled_ ? early : after(intervals_[group]);
    }

private:
    static std::uint64_t row(std::uint64_t line, Half half)
    {
        return 2 * line + (half == Half::Msb ? 0 : 1);
    }
    [[nodiscard]] Time after(Time interval) const
    {
        return interval == 0 ? never : (settled_ / interval + 1) * interval;
    }
    [[nodiscard]] unsigned pair_of(std::uint64_t line) const
    {
        const auto side = static_cast<unsigned>(line / geometry_.side_lines());
        return side * geometry_.bank_pairs() +
               static_cast<unsigned>(line % geometry_.side_lines() % geometry_.bank_pairs());
    }
    void count(std::uint64_t line, std::int64_t rows)
    {
        for (const Half half : halves) {
            const unsigned group = group_of(high_[line] != 0, half);
            valid_[group] += static_cast<std::uint64_t>(rows);
            in_pair_[group][pair_of(line)] += static_cast<std::uint64_t>(rows);
        }
    }
    void drop_early(std::uint64_t line, Half half, unsigned group)
    {
        Time& due = early_due_[row(line, half)];
        if (due > settled_)
            --early_[group][due];
        due = 0;
    }
    void postpone(std::uint64_t line, Half half, unsigned from, unsigned to, Time old_due,
                  Time interval)
    {
        drop_early(line, half, from);
        if (old_due >= after(interval))
            return;
        early_due_[row(line, half)] = old_due;
        ++early_[to][old_due];
    }
    void regroup()
    {
        for (std::uint64_t line = 0; line < data_.size(); ++line) {
            const bool high = wants_high(line);
            if (high == (high_[line] != 0))
                continue;
            if (data_[line] != 0) {
                for (const Half half : halves) {
                    const unsigned from = group_of(!high, half), to = group_of(high, half);
                    postpone(line, half, from, to, due(line, half, from), intervals_[to]);
                }
                count(line, -1);
            }
            high_[line] = high ? 1 : 0;
            if (data_[line] != 0)
                count(line, 1);
        }
    }
    [[nodiscard]] bool wants_high(std::uint64_t line) const
    {
        bool belongs = false;
        for (std::uint64_t at = line * geometry_.line_bytes();
             at < (line + 1) * geometry_.line_bytes(); ++at) {
            const std::uint64_t offset = at % geometry_.side_bytes();
            if (offset < region_.offset ||
                offset >= region_.offset + region_.vectors * region_.vector_bytes)
                continue;
            belongs = true;
            const std::uint64_t entry =
                region_.first_entry + (offset - region_.offset) / region_.vector_bytes;
            if ((scores_[entry] & LEVEE_SE_VIEW_HIGH) != 0)
                return true;
        }
        return !belongs;
    }
    void settle(unsigned group, Time now)
    {
        row_time_[group] +=
            static_cast<double>(valid_[group]) * static_cast<double>(now - settled_);
        auto& early = early_[group];
        for (auto at = early.begin(); at != early.end() && at->first <= now; at = early.erase(at))
            refreshed_[group] += at->second;
        if (intervals_[group] == 0)
            return;
        for (Time due = after(intervals_[group]); due <= now; due += intervals_[group])
            refreshed_[group] += valid_[group];
    }

    Geometry geometry_;
    RefreshConfig config_;
    GroupTimes intervals_;
    std::vector<std::uint8_t> wanted_; ///< Whether a byte holds data, for each byte.
    std::vector<std::uint64_t> data_;  ///< Number of bytes with data in each line.
    std::vector<std::uint8_t> high_;
    std::vector<Time> early_due_;
    std::vector<std::uint8_t> scores_;
    Region region_;
    unsigned pairs_;
    Time settled_ = 0;
    GroupCounts valid_{}, refreshed_{};
    std::array<double, LEVEE_EDRAM_GROUPS> row_time_{};
    std::array<std::vector<std::uint64_t>, LEVEE_EDRAM_GROUPS> in_pair_;
    std::array<std::map<Time, std::uint64_t>, LEVEE_EDRAM_GROUPS> early_;
};

} // namespace levee::edram_test
