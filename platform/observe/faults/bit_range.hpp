// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace levee::faults {

/// Some of the bits of consecutive bytes of memory.
struct BitRange {
    std::uint64_t address = 0; ///< address as the accelerators see it
    std::uint64_t bytes = 0;
    /// The bits that belong to the range, as a mask for each aligned 8-byte little-endian
    /// word.
    std::uint64_t mask = ~std::uint64_t{0};

    bool operator==(const BitRange&) const = default;
};

struct BitAt {
    std::uint64_t address = 0;
    unsigned bit = 0;

    bool operator==(const BitAt&) const = default;
};

/// Returns a mask that selects these bits in each element of 8, 16, 32 or 64 bits. An empty list
/// selects all bits.
[[nodiscard]] std::uint64_t mask_of(unsigned element_bits, std::span<const unsigned> bits);

[[nodiscard]] std::uint64_t bits_in(const BitRange& range);
[[nodiscard]] std::uint64_t bits_in(std::span<const BitRange> ranges);

/// Returns bit `number`, counted from 0 over the ranges in order, and by address within a range.
/// `number` must be below bits_in(ranges).
[[nodiscard]] BitAt bit_at(std::span<const BitRange> ranges, std::uint64_t number);

/// Returns the bits that both lists contain. Within each list, the ranges must be disjoint and in
/// order of their addresses.
[[nodiscard]] std::vector<BitRange> common(std::span<const BitRange> one,
                                           std::span<const BitRange> other);

} // namespace levee::faults
