// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee {

/// Number and address range of the rows that a table selects. The addresses are not stored.
struct RowSpread {
    std::uint64_t rows = 0;
    std::uint64_t row_bytes = 0;
    std::uint64_t least = UINT64_MAX; ///< Lowest address of a row.
    std::uint64_t greatest = 0;       ///< Highest address of a row.

    [[nodiscard]] std::uint64_t bytes() const { return rows * row_bytes; }
    void add(std::uint64_t address)
    {
        ++rows;
        least = address < least ? address : least;
        greatest = address > greatest ? address : greatest;
    }
    /// Describes `rows` of the rows that nested loops visit, as if spread over the loops' full
    /// range of addresses. If that range exceeds the address space, so does the result.
    [[nodiscard]] static RowSpread over(const AccessPattern& loops, std::uint64_t rows);
    /// Returns a scattered stream that takes the same time as the rows: the same number of rows,
    /// spread evenly over the same range. Requires at least one row.
    [[nodiscard]] AccessPattern stream() const;
    /// Returns a pattern of the first and the last row. The pattern is in one memory if all rows
    /// are in one memory. Requires at least one row.
    [[nodiscard]] AccessPattern ends() const;
};

/// Rows of equal length, at addresses that a table in memory gives.
struct RowList {
    std::vector<std::uint64_t> addresses;
    std::uint64_t row_bytes = 0;

    [[nodiscard]] bool empty() const { return addresses.empty(); }
    [[nodiscard]] std::uint64_t bytes() const { return addresses.size() * row_bytes; }
    /// Pattern of one row.
    [[nodiscard]] AccessPattern row(std::size_t index) const;
    [[nodiscard]] RowSpread spread() const;
};

} // namespace levee
