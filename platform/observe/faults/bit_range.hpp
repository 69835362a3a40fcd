// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace levee::faults {

/// Some of the bits of consecutive bytes of memory.
struct BitRange {
    std::uint64_t address = 0; ///< Address as the accelerators see it.
    std::uint64_t bytes = 0;
    /// The bits that belong to it in each eight bytes at a multiple of 8, as a little-endian word.
    std::uint64_t mask = ~std::uint64_t{0};

    bool operator==(const BitRange&) const = default;
};

struct BitAt {
    std::uint64_t address = 0;
    unsigned bit = 0; ///< Bit of the byte.

    bool operator==(const BitAt&) const = default;
};

/// Mask of these bits in each element of 8, 16, 32 or 64 bits. Empty: all bits.
[[nodiscard]] std::uint64_t mask_of(unsigned element_bits, std::span<const unsigned> bits);

[[nodiscard]] std::uint64_t bits_in(const BitRange& range);
[[nodiscard]] std::uint64_t bits_in(std::span<const BitRange> ranges);

/// The bit with this number, below bits_in(ranges), in the order of the ranges and addresses.
[[nodiscard]] BitAt bit_at(std::span<const BitRange> ranges, std::uint64_t number);

/// The bits of both; each list is of disjoint ranges in order of their addresses.
[[nodiscard]] std::vector<BitRange> common(std::span<const BitRange> one,
                                           std::span<const BitRange> other);

} // namespace levee::faults
