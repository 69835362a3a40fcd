// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/vector_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::checks {

/// Records a counter's values since it was last set, each with the vector clock of everything
/// before. The end of a wait for a value comes after all of this. Of the values that all parties
/// know, only the last is kept. At most `most` values are kept.
class CounterHistory {
public:
    static constexpr std::size_t most = 1024;

    void clear() { reached_.clear(); }
    [[nodiscard]] bool empty() const { return reached_.empty(); }
    [[nodiscard]] std::size_t size() const { return reached_.size(); }
    /// Clock of the counter's latest value.
    [[nodiscard]] const VectorClock& clock() const { return reached_.back().clock; }

    /// Called when a party with this clock has given the counter a new value. Returns true if the
    /// caller must call forget().
    bool add(std::uint32_t value, VectorClock clock)
    {
        if (!reached_.empty())
            clock.join(reached_.back().clock);
        reached_.push_back({value, std::move(clock)});
        return reached_.size() >= due_;
    }

    /// Drops values that all parties know. `known` is the clock of the events that all parties
    /// know.
    void forget(const VectorClock& known)
    {
        const auto first_unknown =
            std::find_if(reached_.begin(), reached_.end(),
                         [&](const Reached& r) { return !r.clock.is_within(known); });
        if (first_unknown - reached_.begin() > 1)
            reached_.erase(reached_.begin(), first_unknown - 1);
        if (reached_.size() >= most)
            thin();
        due_ = std::clamp(2 * reached_.size(), least, most);
    }

    /// Joins `clock` with the clock of the first value that satisfies a wait for `value`. The end
    /// of a wait implies nothing about later values.
    void join(VectorClock& clock, std::uint32_t value) const
    {
        const auto first = std::find_if(reached_.rbegin(), reached_.rend(), [&](const Reached& r) {
                               return static_cast<std::int32_t>(r.value - value) < 0;
                           }).base();
        if (first != reached_.end())
            clock.join(first->clock);
    }

private:
    static constexpr std::size_t least = 32;
    struct Reached {
        std::uint32_t value;
        VectorClock clock;
    };

    /// Drops every second value except the latest. A wait for a dropped value then counts as a wait
    /// for the next value. This can hide an error, but never reports a false one.
    void thin()
    {
        std::size_t kept = 0;
        for (std::size_t i = (reached_.size() - 1) % 2; i < reached_.size(); i += 2)
            reached_[kept++] = std::move(reached_[i]);
        reached_.resize(kept, {0, VectorClock()});
    }

    std::vector<Reached> reached_;
    std::size_t due_ = least;
};

} // namespace levee::checks
