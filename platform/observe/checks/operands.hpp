// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/intervals.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::checks {

/// A pattern that an operation reads or writes.
struct TensorAccess {
    std::uint32_t field;
    AccessPattern pattern;                       ///< Pattern in the accelerators' address map.
    std::optional<AccessPattern::Extent> extent; ///< the pattern's
    bool exact; ///< False for a stream that only approximates rows placed by a table.
    bool write;
};

/// Whether two patterns access the same bytes in the same order.
[[nodiscard]] inline bool is_same(const AccessPattern& a, const AccessPattern& b)
{
    return a.address == b.address && a.run_bytes == b.run_bytes && a.count == b.count &&
           a.stride == b.stride;
}

/// The patterns that an operation reads for one field, to look for those that a result overlaps. A
/// wrong descriptor may list a million rows on both sides, so the work is bounded: a search visits
/// only extents near the result's, and all searches together end after `most_visits`. Patterns of
/// more than `most_runs` runs are left out.
class Operands {
public:
    Operands(std::span<const TensorAccess> tensors, std::uint32_t field);

    /// Bytes that the result shares with an operand; `in_place`: not with one that begins at the
    /// same address.
    [[nodiscard]] std::optional<Interval> overlap(const TensorAccess& result, bool in_place);

private:
    static constexpr std::size_t most_visits = std::size_t{1} << 22;
    static constexpr std::uint64_t most_runs = std::uint64_t{1} << 20;

    struct Operand {
        AccessPattern pattern;
        AccessPattern::Extent extent;
        std::uint64_t reach;  ///< last byte of this operand and of those before it
        Intervals bytes = {}; ///< empty: not listed yet
    };
    [[nodiscard]] static std::optional<Interval> common(const AccessPattern& result,
                                                        Operand& operand);

    std::vector<Operand> operands_; ///< by first byte, each pattern once
    std::size_t visits_ = 0;
};

} // namespace levee::checks
