// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace levee::checks {

struct Interval {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A set of byte addresses, kept as disjoint intervals in order.
class Intervals {
public:
    void add(const AccessPattern& pattern)
    {
        pattern.for_each_run([&](std::uint64_t at) {
            if (!parts_.empty() && parts_.back().end == at)
                parts_.back().end += pattern.run_bytes;
            else
                parts_.push_back({at, at + pattern.run_bytes});
        });
        normalise();
    }

    void remove(const Intervals& others)
    {
        std::vector<Interval> left;
        auto other = others.parts_.begin();
        for (Interval part : parts_) {
            while (other != others.parts_.end() && other->end <= part.begin)
                ++other;
            for (auto cut = other; cut != others.parts_.end() && cut->begin < part.end; ++cut) {
                if (cut->begin > part.begin)
                    left.push_back({part.begin, cut->begin});
                part.begin = std::max(part.begin, cut->end);
            }
            if (part.begin < part.end)
                left.push_back(part);
        }
        parts_ = std::move(left);
    }

    /// Returns the first interval of addresses that belongs to both sets.
    [[nodiscard]] std::optional<Interval> common(const Intervals& others) const
    {
        auto other = others.parts_.begin();
        for (const Interval& part : parts_) {
            while (other != others.parts_.end() && other->end <= part.begin)
                ++other;
            if (other != others.parts_.end() && other->begin < part.end)
                return Interval{std::max(part.begin, other->begin), std::min(part.end, other->end)};
        }
        return std::nullopt;
    }

    /// Returns whether the set contains a byte of [begin, end).
    [[nodiscard]] bool meets(std::uint64_t begin, std::uint64_t end) const
    {
        const auto after =
            std::upper_bound(parts_.begin(), parts_.end(), begin,
                             [](std::uint64_t at, const Interval& part) { return at < part.end; });
        return after != parts_.end() && after->begin < end;
    }

    [[nodiscard]] bool is_word() const
    {
        return parts_.size() == 1 && parts_.front().end - parts_.front().begin <= 4;
    }

    void clear() { parts_.clear(); }
    [[nodiscard]] const std::vector<Interval>& parts() const { return parts_; }

private:
    void normalise()
    {
        std::sort(parts_.begin(), parts_.end(),
                  [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
        std::size_t kept = 0;
        for (std::size_t i = 1; i < parts_.size(); ++i) {
            if (parts_[i].begin <= parts_[kept].end)
                parts_[kept].end = std::max(parts_[kept].end, parts_[i].end);
            else
                parts_[++kept] = parts_[i];
        }
        if (!parts_.empty())
            parts_.resize(kept + 1);
    }

    std::vector<Interval> parts_;
};

} // namespace levee::checks
