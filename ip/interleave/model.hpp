// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace levee::interleave {

struct Place {
    unsigned way;         ///< Index of the memory, from 0.
    std::uint64_t offset; ///< Offset in that memory.

    bool operator==(const Place&) const = default;
};

/// One memory's part of an access.
struct Part {
    unsigned way;
    std::uint64_t bytes; ///< Number of the transferred bytes that this memory serves.
    AccessPattern pattern;
};

/// Interleaves a range of addresses over several memories, or ways. Successive granules go to each
/// memory in turn.
class Division {
public:
    /// Throws std::invalid_argument if there are no ways, or if the granule is not a power of two.
    Division(unsigned ways, std::uint64_t granule);

    [[nodiscard]] unsigned ways() const { return ways_; }
    [[nodiscard]] std::uint64_t granule() const { return granule_; }
    /// Distance in bytes after which the assignment of addresses to memories repeats.
    [[nodiscard]] std::uint64_t period() const { return ways_ * granule_; }

    [[nodiscard]] Place place(std::uint64_t address) const;
    /// The inverse of place().
    [[nodiscard]] std::uint64_t address(const Place& place) const;

    /// Returns the number of bytes below `address` that memory `way` holds. Their offsets in that
    /// memory are 0 up to this number - 1.
    [[nodiscard]] std::uint64_t bytes_below(unsigned way, std::uint64_t address) const;

    /// Calls visit(place, bytes), in order, for each piece of [address, address + bytes) within one
    /// granule.
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

    /// Divides a transfer of `bytes` bytes over `pattern`, which must have an extent. Returns each
    /// memory's part, by way. The parts add up to `bytes`, in proportion to the pattern. README.md
    /// states when a part's pattern is exact and when it approximates the runs. The cost is bounded
    /// by the period, not by the length of the pattern.
    [[nodiscard]] std::vector<Part> divide(const AccessPattern& pattern, std::uint64_t bytes) const;

private:
    unsigned ways_;
    std::uint64_t granule_;
};

} // namespace levee::interleave
