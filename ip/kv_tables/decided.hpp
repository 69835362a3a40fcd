// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::kv_tables {

/// Values of Decision::Write::what for the evictor's decisions. Each value stands for the table
/// (operations.h) that is written.
enum class Decided : std::uint8_t {
    Views = 1,
    Next,
    Positions,
    Gather,
    SlotOf,
    Redirect,
    Holders,
    XPositions,
    XGather,
    Current,
    Used,
    XRow ///< An input row (a layer input stored for recomputation) that is discarded.
};

} // namespace levee::kv_tables
