// SPDX-License-Identifier: Apache-2.0
// Events that memories with limited retention report to observers of a run.
#pragma once

#include "core/units/time.hpp"

#include <cstdint>
#include <functional>

namespace levee {

/// Failed bits of a row that a read found for the first time. A row contains the upper or the lower
/// halves of elements.
struct RetentionFailure {
    std::uint64_t offset; ///< Offset of the row's data in the memory, in bytes.
    bool upper;           ///< True: the row has the upper halves of the elements.
    /// Greatest age of the data (time since the write) at the previous failure, and now. The bits
    /// failed between these two ages.
    Picoseconds age_before, age_after;
    Picoseconds written;         ///< Time of the write, or 0 if a cell's retention time never
                                 ///< changes.
    std::uint64_t before, after; ///< Cells with a strength in [before, after) failed.
    unsigned element_bits;
};
using RetentionFailureSink = std::function<void(const RetentionFailure&)>;

/// Lifetime of bytes, from the write to the discard.
struct DataLifetime {
    std::uint64_t offset; ///< Offset in the memory.
    std::uint64_t bytes;
    Picoseconds written, discarded;
};
using DataLifetimeSink = std::function<void(const DataLifetime&)>;

} // namespace levee
