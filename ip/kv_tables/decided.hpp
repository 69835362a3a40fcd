// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::kv_tables {

/// Decision::Write::what of the evictor's decisions: the table of regs.h that is written.
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
    XRow ///< a recomputed input is discarded
};

} // namespace levee::kv_tables
