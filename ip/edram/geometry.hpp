// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/edram/regs.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::edram {

/// Time of ageing and refresh, in ps: simulated time multiplied by `time_scale`.
using Time = std::uint64_t;
inline constexpr Time never = UINT64_MAX;

inline constexpr std::uint64_t port_bytes = 16; ///< Bytes of one access to one bank.
/// Bytes of one access to an MSB bank and an LSB bank together.
inline constexpr std::uint64_t unit_bytes = 2 * port_bytes;
inline constexpr unsigned unit_bits = 8 * port_bytes; ///< Cells of a unit in one of its two banks.

enum class Layout {
    Plain, ///< One side: the whole memory.
    Kv     ///< Two sides: keys in the lower half, values in the upper half.
};

/// Bits of an element, unless a region sets a narrower width.
inline constexpr unsigned usual_element_bits = 16;

/// Upper or lower half of the bits of an element. The halves are in separate banks.
enum class Half { Msb, Lsb };
inline constexpr std::array<Half, 2> halves{Half::Msb, Half::Lsb};

/// Names of the refresh groups in scenarios, results and energy accounts, indexed by enum
/// levee_edram_group.
inline constexpr const char* group_names[LEVEE_EDRAM_GROUPS] = {"high_msb", "high_lsb", "low_msb",
                                                                "low_lsb"};

/// A row's refresh group.
[[nodiscard]] constexpr unsigned group_of(bool high, Half half)
{
    const unsigned significance = half == Half::Msb ? 0 : 1;
    return (high ? LEVEE_EDRAM_HIGH_MSB : LEVEE_EDRAM_LOW_MSB) + significance;
}
[[nodiscard]] constexpr bool is_high(unsigned group)
{
    return group == LEVEE_EDRAM_HIGH_MSB || group == LEVEE_EDRAM_HIGH_LSB;
}

/// Placement of bytes in the banks of an eDRAM (Kelle, section 5.1). A line is an MSB row and an
/// LSB row together. If a side has n MSB banks and n LSB banks, line i is in row i / n of both
/// banks i mod n. The MSB row holds bits 15:8 of each element, the LSB row bits 7:0. Narrower
/// elements (LEVEE_EDRAM_REGION_BITS) are split into an upper and a lower half in the same way. A
/// refresh restores a whole row. An access to one bank moves `port_bytes`, so an access to both
/// banks moves one unit of a line.
struct Geometry {
    Layout layout = Layout::Plain;
    std::uint64_t size_bytes = 0;
    unsigned banks = 0;            ///< Total number of banks, on all sides and for both halves.
    std::uint64_t row_bytes = 128; ///< Row of one bank: one half of a vector of 128 elements.

    /// Describes an error in the geometry; empty if it is valid. A side must be a whole number of
    /// rows in all its banks.
    [[nodiscard]] std::string fault() const;

    [[nodiscard]] unsigned sides() const { return layout == Layout::Kv ? 2 : 1; }
    [[nodiscard]] std::uint64_t side_bytes() const { return size_bytes / sides(); }
    /// Number of MSB banks on one side, and of LSB banks.
    [[nodiscard]] unsigned bank_pairs() const { return banks / (2 * sides()); }
    [[nodiscard]] std::uint64_t units() const { return size_bytes / unit_bytes; }
    [[nodiscard]] std::uint64_t side_units() const { return units() / sides(); }
    [[nodiscard]] std::uint64_t line_bytes() const { return 2 * row_bytes; }
    [[nodiscard]] std::uint64_t line_units() const { return row_bytes / port_bytes; }
    [[nodiscard]] std::uint64_t lines() const { return size_bytes / line_bytes(); }
    [[nodiscard]] std::uint64_t side_lines() const { return lines() / sides(); }
    [[nodiscard]] unsigned side_of(std::uint64_t address) const
    {
        return address >= side_bytes() ? 1 : 0;
    }

    struct Location {
        unsigned bank;
        std::uint64_t row;
        unsigned byte; ///< Byte within the row.
    };
    /// Location of the byte at `address` for 16-bit elements. `address` must lie in the memory.
    /// Banks are numbered in the order keys' MSB, keys' LSB, values' MSB, values' LSB.
    [[nodiscard]] Location locate(std::uint64_t address) const;
};

/// Accesses of each bank pair of a side. One access moves one unit through its MSB and LSB banks.
using BankLoads = std::vector<std::uint64_t>;

/// Returns the bank accesses on `side` for one pass over `pattern`, which must lie in the memory. A
/// partly used unit costs a full access.
[[nodiscard]] BankLoads bank_loads(const Geometry& geometry, const AccessPattern& pattern,
                                   unsigned side);

/// Returns the number of bytes of one pass over `pattern` that lie on `side`.
[[nodiscard]] std::uint64_t bytes_on_side(const Geometry& geometry, const AccessPattern& pattern,
                                          unsigned side);

} // namespace levee::edram
