// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee {

/// What rows at addresses that a table gives come to, without their addresses.
struct RowSpread {
    std::uint64_t rows = 0;
    std::uint64_t row_bytes = 0;
    std::uint64_t least = UINT64_MAX; ///< address
    std::uint64_t greatest = 0;       ///< address

    [[nodiscard]] std::uint64_t bytes() const { return rows * row_bytes; }
    void add(std::uint64_t address)
    {
        ++rows;
        least = address < least ? address : least;
        greatest = address > greatest ? address : greatest;
    }
    /// `rows` of those that a loop nest visits, spread over all of its extent; where that leaves
    /// the address space, so do they.
    [[nodiscard]] static RowSpread over(const AccessPattern& loops, std::uint64_t rows);
    /// A scattered stream that stands for them in time: as many rows, spread evenly over the same
    /// extent. Not of none.
    [[nodiscard]] AccessPattern stream() const;
    /// The first and the last of them: lies in one memory if they all do. Not of none.
    [[nodiscard]] AccessPattern ends() const;
};

/// Rows of the same length at addresses that a table in memory gives.
struct RowList {
    std::vector<std::uint64_t> addresses;
    std::uint64_t row_bytes = 0;

    [[nodiscard]] bool empty() const { return addresses.empty(); }
    [[nodiscard]] std::uint64_t bytes() const { return addresses.size() * row_bytes; }
    /// One of them, by itself.
    [[nodiscard]] AccessPattern row(std::size_t index) const;
    [[nodiscard]] RowSpread spread() const;
};

} // namespace levee
