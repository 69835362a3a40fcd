// SPDX-License-Identifier: Apache-2.0
// Events that a memory whose cells lose their data reports to observers of a run.
#pragma once

#include "core/units/time.hpp"

#include <cstdint>
#include <functional>

namespace levee {

/// Bits of a row that a read found newly failed. A row holds one half of each element's bits.
struct RetentionFailure {
    std::uint64_t offset; ///< offset of the row's data in the memory, in bytes
    bool upper;           ///< true: the row holds the upper halves of the elements
    /// Worst age since the write when bits were last flipped, and the present one; the bits failed
    /// between these ages.
    Picoseconds age_before, age_after;
    Picoseconds written;         ///< Time of the write, or 0 if a cell's retention time never
                                 ///< changes.
    std::uint64_t before, after; ///< the cells with a strength in [before, after) failed
    unsigned element_bits;
};
using RetentionFailureSink = std::function<void(const RetentionFailure&)>;

/// Lifetime of bytes written at `written` and discarded at `discarded`.
struct DataLifetime {
    std::uint64_t offset; ///< Offset in the memory.
    std::uint64_t bytes;
    Picoseconds written, discarded;
};
using DataLifetimeSink = std::function<void(const DataLifetime&)>;

} // namespace levee
