// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/kv_tables/operations.h"

#include <cstddef>
#include <cstdint>

namespace levee::kv_tables {

/// A table with one or more consecutive elements for each head (o1) of each entry (o0).
struct Table {
    std::uint64_t address;
    std::int64_t stride0, stride1;
    std::uint32_t element_bytes;
    std::uint32_t field; ///< Field of the descriptor, for messages.

    [[nodiscard]] std::uint64_t at(std::size_t o0, std::size_t o1) const;
    [[nodiscard]] AccessPattern run(std::size_t o0, std::size_t o1, std::size_t elements) const;
    /// Returns the access to element number `index` of head o1 in entry o0.
    [[nodiscard]] AccessPattern element(std::size_t o0, std::size_t o1, std::uint64_t index) const;
};

/// Addresses of an operation's tables, named as in the descriptor.
class Layout {
public:
    /// Both arguments must outlive this object. In `formats`, rows = 0 means that no layer inputs
    /// are stored.
    Layout(const levee_se_operation& operation, const levee_se_formats& formats)
        : op_(operation), formats_(formats)
    {
    }

    [[nodiscard]] Table lengths() const;
    [[nodiscard]] Table now() const;
    [[nodiscard]] Table by_position() const; ///< Importance by position, which SELECT reads.
    [[nodiscard]] Table importance() const;
    [[nodiscard]] Table positions() const;
    [[nodiscard]] Table gather() const;
    [[nodiscard]] Table views() const;
    [[nodiscard]] Table arrival() const;
    [[nodiscard]] Table next() const;
    [[nodiscard]] Table redirect() const;
    [[nodiscard]] Table slot_of() const;
    /// Table of the formats at `address`, with one element for each input row.
    [[nodiscard]] Table per_row(std::uint64_t address) const;
    /// Table of the formats at `address`, with one word for each entry.
    [[nodiscard]] Table per_entry(std::uint64_t address) const;
    /// Returns the access to the key or value row of a slot, in the tensor at `base`.
    [[nodiscard]] AccessPattern kv_row(std::uint64_t base, std::size_t o0, std::size_t o1,
                                       std::uint32_t slot) const;
    [[nodiscard]] AccessPattern x_row(std::size_t o0, std::uint32_t row) const;

private:
    const levee_se_operation& op_;
    const levee_se_formats& formats_;
};

} // namespace levee::kv_tables
