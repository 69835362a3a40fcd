// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/intervals.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::checks {

/// A pattern of bytes that an operation reads or writes.
struct TensorAccess {
    std::uint32_t field;
    AccessPattern pattern; ///< pattern of the accelerators' addresses
    std::optional<AccessPattern::Extent> extent;
    bool exact; ///< false for one stream in place of rows that a table places
    bool write;
};

/// Returns whether two patterns access the same bytes in the same order.
[[nodiscard]] inline bool is_same(const AccessPattern& a, const AccessPattern& b)
{
    return a.address == b.address && a.run_bytes == b.run_bytes && a.count == b.count &&
           a.stride == b.stride;
}

/// The patterns that an operation reads for one field, for a search for overlaps with its result. A
/// wrong descriptor may list a million rows, so the work is limited. A search visits only patterns
/// near the result, all searches together visit at most `most_visits` patterns, and patterns with
/// more than `most_runs` runs are ignored.
class Operands {
public:
    Operands(std::span<const TensorAccess> tensors, std::uint32_t field);

    /// Returns the bytes that the result shares with an operand. With `in_place`, an operand that
    /// begins at the result's address does not count.
    [[nodiscard]] std::optional<Interval> overlap(const TensorAccess& result, bool in_place);

    /// Returns false once bytes were left out because of the limits above. An overlap may then
    /// exist even if none was found.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    static constexpr std::size_t most_visits = std::size_t{1} << 22;
    static constexpr std::uint64_t most_runs = std::uint64_t{1} << 20;

    struct Operand {
        AccessPattern pattern;
        AccessPattern::Extent extent;
        std::uint64_t reach; ///< greatest last byte of this operand and all earlier ones
        Intervals bytes = {};
    };
    [[nodiscard]] std::optional<Interval> common(const AccessPattern& result, Operand& operand);

    std::vector<Operand> operands_; ///< sorted by first byte; no pattern occurs twice
    std::size_t visits_ = 0;
    bool complete_ = true;
};

} // namespace levee::checks
