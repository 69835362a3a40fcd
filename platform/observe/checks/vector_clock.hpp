// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::checks {

/// Vector clock: for each party (the core and every queue) the number of its releases that are
/// known. A release (a doorbell, a signal, an end) publishes everything that the party did before.
/// An access is stamped with the party's number of releases so far.
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
    /// Whether the other clock knows everything that this one knows.
    [[nodiscard]] bool is_within(const VectorClock& other) const
    {
        for (std::size_t i = 0; i < releases_.size(); ++i)
            if (releases_[i] > other.releases_[i])
                return false;
        return true;
    }
    void release(std::size_t party) { ++releases_[party]; }
    [[nodiscard]] std::uint64_t stamp(std::size_t party) const { return releases_[party]; }
    /// Whether an access of `party` with this stamp happened before.
    [[nodiscard]] bool knows(std::size_t party, std::uint64_t stamp) const
    {
        return releases_[party] > stamp;
    }

private:
    std::vector<std::uint64_t> releases_;
};

} // namespace levee::checks
