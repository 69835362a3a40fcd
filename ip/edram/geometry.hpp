// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/edram/regs.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::edram {

/// Simulated time multiplied by `time_scale`, in picoseconds: the time base of ageing and refresh.
using Time = std::uint64_t;
inline constexpr Time never = UINT64_MAX;

inline constexpr std::uint64_t port_bytes = 16; ///< one access of one bank
/// One access to an MSB and an LSB bank.
inline constexpr std::uint64_t unit_bytes = 2 * port_bytes;
inline constexpr unsigned unit_bits = 8 * port_bytes; ///< cells of a unit in one of its banks

enum class Layout {
    Plain, ///< One side: the whole memory.
    Kv     ///< two sides: keys in the lower half, values in the upper
};

/// Bits of an element, unless a region has narrower ones.
inline constexpr unsigned usual_element_bits = 16;

/// Half of every element's bits, in separate banks.
enum class Half { Msb, Lsb };
inline constexpr std::array<Half, 2> halves{Half::Msb, Half::Lsb};

/// Refresh groups by enum levee_edram_group: in scenarios, figures and energy accounts.
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

/// Placement of an eDRAM's bytes in its banks (Kelle, section 5.1). A line is as long as two rows.
/// Line i of a side is row i / n of MSB bank i mod n and of LSB bank i mod n, if the side has n
/// banks for each half. The former row has bits 15:8 of its elements, the latter bits 7:0; of
/// narrower elements (LEVEE_EDRAM_REGION_BITS) they have the upper and the lower half of the bits.
/// A row is refreshed as a whole. An access through a bank's port moves `port_bytes` of it, so one
/// access of both banks moves a unit of the line.
struct Geometry {
    Layout layout = Layout::Plain;
    std::uint64_t size_bytes = 0;
    unsigned banks = 0;            ///< banks of all sides and both halves
    std::uint64_t row_bytes = 128; ///< row of one bank: one half of a vector of 128 elements

    /// The fault as a sentence, or empty. A side must be whole rows of all its banks.
    [[nodiscard]] std::string fault() const;

    [[nodiscard]] unsigned sides() const { return layout == Layout::Kv ? 2 : 1; }
    [[nodiscard]] std::uint64_t side_bytes() const { return size_bytes / sides(); }
    /// Banks of one half on one side.
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
        unsigned byte; ///< byte of the row
    };
    /// Location of the byte at `address`, which must lie inside, if elements have 16 bits. Banks
    /// are numbered: keys' MSB, keys' LSB, values' MSB, values' LSB.
    [[nodiscard]] Location locate(std::uint64_t address) const;
};

/// Accesses of each bank pair of a side: an access moves one unit of its MSB and its LSB bank.
using BankLoads = std::vector<std::uint64_t>;

/// Bank accesses on `side` of one pass over `pattern`, which lies inside; partly used units are
/// accessed as a whole.
[[nodiscard]] BankLoads bank_loads(const Geometry& geometry, const AccessPattern& pattern,
                                   unsigned side);

/// Bytes of one pass that lie on `side`.
[[nodiscard]] std::uint64_t bytes_on_side(const Geometry& geometry, const AccessPattern& pattern,
                                          unsigned side);

} // namespace levee::edram
