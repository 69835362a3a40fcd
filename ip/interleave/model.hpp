// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace levee::interleave {

/// Location of a byte in one of the interleaved memories.
struct Place {
    unsigned way;         ///< Index of the memory, from 0.
    std::uint64_t offset; ///< Offset in that memory.

    bool operator==(const Place&) const = default;
};

/// One memory's part of an access.
struct Part {
    unsigned way;
    std::uint64_t bytes; ///< Share of all transferred bytes.
    AccessPattern pattern;
};

/// Divides a range of addresses over memories: successive granules go to each of them in turn.
class Division {
public:
    /// Throws std::invalid_argument if there are no ways or the granule is not a power of two.
    Division(unsigned ways, std::uint64_t granule);

    [[nodiscard]] unsigned ways() const { return ways_; }
    [[nodiscard]] std::uint64_t granule() const { return granule_; }
    /// Distance at which the assignment to ways repeats.
    [[nodiscard]] std::uint64_t period() const { return ways_ * granule_; }

    [[nodiscard]] Place place(std::uint64_t address) const;
    /// The inverse of place().
    [[nodiscard]] std::uint64_t address(const Place& place) const;

    /// Number of bytes of the range below `address` that lie in `way`; their offsets there are
    /// below this number.
    [[nodiscard]] std::uint64_t bytes_below(unsigned way, std::uint64_t address) const;

    /// Calls visit(place, bytes), in order, for each piece of [address, address + bytes) that lies
    /// in one granule.
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

    /// The parts of `pattern`, which must have an extent, in each memory while `bytes` pass in all;
    /// by way. Their bytes add up to `bytes`, in proportion to those of the pattern. README.md says
    /// when a part's pattern is exactly its runs and when it approximates them. The cost is bounded
    /// by the period, not by the pattern's length.
    [[nodiscard]] std::vector<Part> divide(const AccessPattern& pattern, std::uint64_t bytes) const;

private:
    unsigned ways_;
    std::uint64_t granule_;
};

} // namespace levee::interleave
