#pragma once

#include "ip/common/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee {

/// Rows of the same length at addresses that a table in memory gives.
struct RowList {
    std::vector<std::uint64_t> addresses;
    std::uint64_t row_bytes = 0;

    [[nodiscard]] bool empty() const { return addresses.empty(); }
    [[nodiscard]] std::uint64_t bytes() const { return addresses.size() * row_bytes; }
    /// One of them, by itself.
    [[nodiscard]] AccessPattern row(std::size_t index) const;
    /// A scattered stream that stands for them in time: as many rows, spread evenly over the same
    /// extent. Not of an empty list.
    [[nodiscard]] AccessPattern stream() const;
};

} // namespace levee
