// SPDX-License-Identifier: Apache-2.0
// Results of rows, from their records.
#pragma once

#include "ip/cpq/model.hpp"
#include "ip/cpq/rows.h"
#include "ip/cpq/timing.hpp"

#include <cstdint>

namespace levee::cpq {

/// The expected row in a timing-only run from statistics, without recorded decisions.
struct Expected {
    double pruned = 0; ///< share of the values
    double zero = 0;   ///< share of the values that are not stored: at least `pruned`
    std::uint32_t levels = 1;
};

/// Record of each row without newly opened levels.
[[nodiscard]] levee_cpq_record expected_record(const Expected& expected, std::size_t channels,
                                               unsigned bits, unsigned max_levels);

/// Sums over one or more operations.
struct Totals {
    std::uint64_t cycles = 0;
    std::uint64_t rows = 0, values = 0, survivors = 0, non_zeros = 0, levels = 0, clamped = 0;
    std::uint64_t index_bytes = 0, code_bytes = 0, label_bytes = 0, packed_bytes = 0;
    std::uint64_t expanded_rows = 0, expanded = 0, expanded_bytes = 0;
    std::uint64_t compared = 0; ///< values, each time that the pruning unit sees them

    void add(const Totals& other);
    /// Adds a row of `channels` values, with codes of `bits`, that was compressed.
    void add_compressed(const levee_cpq_record& record, std::uint64_t channels, unsigned bits);
    /// Adds a row that was expanded, and its cycles.
    void add_expanded(const levee_cpq_record& record, const Units& units);
};

} // namespace levee::cpq
