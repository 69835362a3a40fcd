// SPDX-License-Identifier: Apache-2.0
// The bookkeeping of an eDRAM unit by unit and row by row, as the README says it: what the array's
// shortcuts are held against. No cells.
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
          wanted_(geometry.units(), 0), high_(geometry.units(), 1),
          early_due_(2 * geometry.units(), 0), scores_(Array::score_count(geometry), 0),
          pairs_(geometry.sides() * geometry.bank_pairs())
    {
        for (auto& pairs : in_pair_)
            pairs.assign(pairs_, 0);
        uses_.push_back({0, std::vector<double>(pairs_, 0.0), std::vector<double>(pairs_, 0.0)});
    }

    void write(std::uint64_t address, std::uint64_t bytes, Time now)
    {
        settle(now);
        for (std::uint64_t at = address; at < address + bytes; ++at) {
            std::uint32_t& wanted = wanted_[at / unit_bytes];
            if (wanted == 0)
                count(at / unit_bytes, 1);
            wanted |= 1u << at % unit_bytes;
        }
    }
    void discard(std::uint64_t address, std::uint64_t bytes, Time now)
    {
        settle(now);
        for (std::uint64_t at = address; at < address + bytes; ++at) {
            const std::uint64_t unit = at / unit_bytes;
            const std::uint32_t before = wanted_[unit];
            wanted_[unit] &= ~(1u << at % unit_bytes);
            if (before == 0 || wanted_[unit] != 0)
                continue;
            for (const Half half : halves)
                drop_early(unit, half, group_of(high_[unit] != 0, half));
            count(unit, -1);
        }
    }
    void set_interval(unsigned group, Time interval, Time now)
    {
        settle(now);
        for (std::uint64_t unit = 0; unit < wanted_.size(); ++unit)
            for (const Half half : halves)
                if (wanted_[unit] != 0 && group_of(high_[unit] != 0, half) == group)
                    postpone(unit, half, group, group, due(unit, half, group), interval);
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
        for (const std::uint8_t value : values) { // one after the other: so rows change groups
            const bool changes = ((scores_[first] ^ value) & LEVEE_SE_VIEW_HIGH) != 0;
            scores_[first++] = value;
            if (changes)
                regroup();
        }
    }
    void use(Time now, const std::vector<double>& shares)
    {
        settle(now);
        Use& last = uses_.back();
        if (last.share == shares)
            return;
        Use next{now, shares, last.before};
        for (unsigned pair = 0; pair < pairs_; ++pair)
            next.before[pair] += last.share[pair] * static_cast<double>(now - last.since);
        if (last.since == now)
            last.share = shares;
        else
            uses_.push_back(next);
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
    [[nodiscard]] std::uint64_t violations() const { return violations_; }
    [[nodiscard]] bool is_valid(std::uint64_t unit) const { return wanted_[unit] != 0; }
    [[nodiscard]] bool is_high(std::uint64_t unit) const { return high_[unit] != 0; }
    [[nodiscard]] Time due(std::uint64_t unit, Half half, unsigned group) const
    {
        const Time early = early_due_[row(unit, half)];
        return early > settled_ ? early : after(intervals_[group]);
    }

private:
    struct Use {
        Time since;
        std::vector<double> share, before;
    };

    static std::uint64_t row(std::uint64_t unit, Half half)
    {
        return 2 * unit + (half == Half::Msb ? 0 : 1);
    }
    [[nodiscard]] Time after(Time interval) const
    {
        return interval == 0 ? never : (settled_ / interval + 1) * interval;
    }
    [[nodiscard]] unsigned pair_of(std::uint64_t unit) const
    {
        const auto side = static_cast<unsigned>(unit / geometry_.side_units());
        return side * geometry_.bank_pairs() +
               static_cast<unsigned>(unit % geometry_.side_units() % geometry_.bank_pairs());
    }
    void count(std::uint64_t unit, std::int64_t rows)
    {
        for (const Half half : halves) {
            const unsigned group = group_of(high_[unit] != 0, half);
            valid_[group] += static_cast<std::uint64_t>(rows);
            in_pair_[group][pair_of(unit)] += static_cast<std::uint64_t>(rows);
        }
    }
    void drop_early(std::uint64_t unit, Half half, unsigned group)
    {
        Time& due = early_due_[row(unit, half)];
        if (due > settled_)
            --early_[group][due];
        due = 0;
    }
    void postpone(std::uint64_t unit, Half half, unsigned from, unsigned to, Time old_due,
                  Time interval)
    {
        drop_early(unit, half, from);
        if (old_due >= after(interval))
            return;
        early_due_[row(unit, half)] = old_due;
        ++early_[to][old_due];
    }
    void regroup()
    {
        for (std::uint64_t unit = 0; unit < wanted_.size(); ++unit) {
            const bool high = wants_high(unit);
            if (high == (high_[unit] != 0))
                continue;
            if (wanted_[unit] != 0) {
                for (const Half half : halves) {
                    const unsigned from = group_of(!high, half), to = group_of(high, half);
                    postpone(unit, half, from, to, due(unit, half, from), intervals_[to]);
                }
                count(unit, -1);
            }
            high_[unit] = high ? 1 : 0;
            if (wanted_[unit] != 0)
                count(unit, 1);
        }
    }
    [[nodiscard]] bool wants_high(std::uint64_t unit) const
    {
        bool belongs = false;
        for (std::uint64_t at = unit * unit_bytes; at < (unit + 1) * unit_bytes; ++at) {
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
    [[nodiscard]] double used_until(unsigned pair, Time time) const
    {
        auto use = uses_.rbegin();
        while (use->since > time)
            ++use;
        return use->before[pair] + use->share[pair] * static_cast<double>(time - use->since);
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
        for (Time due = after(intervals_[group]); due <= now; due += intervals_[group]) {
            refreshed_[group] += valid_[group];
            violations_ += lacking(group, due);
        }
    }
    [[nodiscard]] std::uint64_t lacking(unsigned group, Time due) const
    {
        const Time window =
            config_.slack == 0 ? intervals_[group] : std::min(config_.slack, intervals_[group]);
        const unsigned other = group < 2 ? group + 2 : group - 2;
        const auto row_ps = static_cast<double>(config_.row);
        std::uint64_t lack = 0;
        for (unsigned pair = 0; pair < pairs_; ++pair) {
            double idle = static_cast<double>(window) -
                          (used_until(pair, due) - used_until(pair, due - window));
            if (group >= 2 && intervals_[other] > 0)
                idle -= static_cast<double>(in_pair_[other][pair]) * row_ps *
                        static_cast<double>(window) / static_cast<double>(intervals_[other]);
            const double missing =
                static_cast<double>(in_pair_[group][pair]) - std::max(idle, 0.0) / row_ps;
            if (missing > 1e-6)
                lack += static_cast<std::uint64_t>(missing + 1.0 - 1e-6);
        }
        return lack;
    }

    Geometry geometry_;
    RefreshConfig config_;
    GroupTimes intervals_;
    std::vector<std::uint32_t> wanted_; ///< by unit: its bytes that hold data, a bit each
    std::vector<std::uint8_t> high_;
    std::vector<Time> early_due_;
    std::vector<std::uint8_t> scores_;
    Region region_;
    unsigned pairs_;
    std::vector<Use> uses_;
    Time settled_ = 0;
    GroupCounts valid_{}, refreshed_{};
    std::array<double, LEVEE_EDRAM_GROUPS> row_time_{};
    std::array<std::vector<std::uint64_t>, LEVEE_EDRAM_GROUPS> in_pair_;
    std::array<std::map<Time, std::uint64_t>, LEVEE_EDRAM_GROUPS> early_;
    std::uint64_t violations_ = 0;
};

} // namespace levee::edram_test
