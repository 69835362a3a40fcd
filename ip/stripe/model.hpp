// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/access_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace levee::stripe {

/// A byte of one of the striped memories.
struct Place {
    unsigned way;         ///< which memory, from 0
    std::uint64_t offset; ///< in that memory

    bool operator==(const Place&) const = default;
};

/// What one memory serves of an access.
struct Part {
    unsigned way;
    std::uint64_t bytes; ///< of those that pass in all
    AccessPattern pattern;
};

/// Divides a range of addresses over memories: successive granules lie in each of them in turn.
class Division {
public:
    /// Throws std::invalid_argument unless there are ways and the granule is a power of two.
    Division(unsigned ways, std::uint64_t granule);

    [[nodiscard]] unsigned ways() const { return ways_; }
    [[nodiscard]] std::uint64_t granule() const { return granule_; }
    /// Addresses so far apart lie in the same way.
    [[nodiscard]] std::uint64_t period() const { return ways_ * granule_; }

    [[nodiscard]] Place place(std::uint64_t address) const;
    /// The inverse of place().
    [[nodiscard]] std::uint64_t address(const Place& place) const;

    /// How many bytes of the range below `address` lie in `way`; their offsets there are those
    /// below this number.
    [[nodiscard]] std::uint64_t bytes_below(unsigned way, std::uint64_t address) const;

    /// Calls visit(place, bytes) for each piece of [address, address + bytes) that lies in one
    /// granule, in order.
    template <typename Visit>
    void for_each_piece(std::uint64_t address, std::uint64_t bytes, Visit visit) const
    {
        while (bytes > 0) {
            const std::uint64_t piece = std::min(bytes, granule_ - address % granule_);
            visit(place(address), piece);
            address += piece;
            bytes -= piece;
        }
    }

    /// What each memory that has a share in `pattern`, which must have an extent, sees of it while
    /// `bytes` pass in all; by way. The parts' bytes add up to `bytes`, in proportion to those of
    /// the pattern. README.md says when a part's pattern is exactly its runs and when it stands for
    /// them. What this costs is bounded by the period, not by the pattern's length.
    [[nodiscard]] std::vector<Part> divide(const AccessPattern& pattern, std::uint64_t bytes) const;

private:
    unsigned ways_;
    std::uint64_t granule_;
};

} // namespace levee::stripe
