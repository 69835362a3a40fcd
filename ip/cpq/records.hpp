// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/model.hpp"
#include "ip/cpq/rows.h"
#include "ip/cpq/timing.hpp"

#include <cstdint>

namespace levee::cpq {

/// Expected properties of a row in a timing-only run that uses statistics, not recorded decisions.
struct Expected {
    double pruned = 0; ///< Fraction of values below the threshold.
    double zero = 0;   ///< Fraction of values that are not stored, at least `pruned`.
    std::uint32_t levels = 1;
};

/// The record of a row that opens no levels.
[[nodiscard]] levee_cpq_record expected_record(const Expected& expected, std::size_t channels,
                                               unsigned bits, unsigned max_levels);

struct Totals {
    std::uint64_t cycles = 0;
    std::uint64_t rows = 0, values = 0, survivors = 0, non_zeros = 0, levels = 0, clamped = 0;
    std::uint64_t index_bytes = 0, code_bytes = 0, label_bytes = 0, packed_bytes = 0;
    std::uint64_t expanded_rows = 0, expanded = 0, expanded_bytes = 0;
    std::uint64_t compared = 0; ///< Comparisons in the pruning unit. A value counts each time it
                                ///< passes.

    void add(const Totals& other);
    /// Adds a compressed row of `channels` values, with codes of `bits` bits.
    void add_compressed(const levee_cpq_record& record, std::uint64_t channels, unsigned bits);
    /// Adds a decompressed row and its cycles.
    void add_expanded(const levee_cpq_record& record, const Units& units);
};

} // namespace levee::cpq
