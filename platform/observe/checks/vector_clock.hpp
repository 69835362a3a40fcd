// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::checks {

/// A vector clock. For each party (the core and every queue), it counts how many of the party's
/// releases are known. A release is a doorbell, a signal or an end, and publishes everything that
/// the party did before. The stamp of an access is the number of releases that its party had made
/// by then.
class VectorClock {
public:
    explicit VectorClock(std::size_t parties = 0) : releases_(parties) {}

    void join(const VectorClock& other)
    {
        for (std::size_t i = 0; i < releases_.size(); ++i)
            releases_[i] = std::max(releases_[i], other.releases_[i]);
    }
    void meet(const VectorClock& other)
    {
        for (std::size_t i = 0; i < releases_.size(); ++i)
            releases_[i] = std::min(releases_[i], other.releases_[i]);
    }
    /// Returns whether `other` knows everything that this clock knows.
    [[nodiscard]] bool is_within(const VectorClock& other) const
    {
        for (std::size_t i = 0; i < releases_.size(); ++i)
            if (releases_[i] > other.releases_[i])
                return false;
        return true;
    }
    void release(std::size_t party) { ++releases_[party]; }
    [[nodiscard]] std::uint64_t stamp(std::size_t party) const { return releases_[party]; }
    /// Returns whether the access of `party` with this stamp happened before the event that has
    /// this clock.
    [[nodiscard]] bool knows(std::size_t party, std::uint64_t stamp) const
    {
        return releases_[party] > stamp;
    }

private:
    std::vector<std::uint64_t> releases_;
};

} // namespace levee::checks
