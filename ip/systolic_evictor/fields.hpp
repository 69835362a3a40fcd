#pragma once

#include "ip/common/fields.hpp"
#include "ip/systolic_evictor/regs.h"

namespace levee::systolic_evictor {

/// The members of levee_se_operation, for messages.
inline constexpr Field operation_fields[] = {
    {offsetof(levee_se_operation, scores), "scores"},
    {offsetof(levee_se_operation, importance), "importance"},
    {offsetof(levee_se_operation, positions), "positions"},
    {offsetof(levee_se_operation, gather), "gather"},
    {offsetof(levee_se_operation, lengths), "lengths"},
    {offsetof(levee_se_operation, now), "now"},
    {offsetof(levee_se_operation, arrival), "arrival"},
    {offsetof(levee_se_operation, next), "next"},
    {offsetof(levee_se_operation, views), "views"},
    {offsetof(levee_se_operation, keys), "keys"},
    {offsetof(levee_se_operation, values), "values"},
    {offsetof(levee_se_operation, formats), "formats"},
    {offsetof(levee_se_operation, scores_stride), "scores_stride", 4},
    {offsetof(levee_se_operation, importance_stride), "importance_stride", 4},
    {offsetof(levee_se_operation, positions_stride), "positions_stride", 4},
    {offsetof(levee_se_operation, views_stride), "views_stride", 4},
    {offsetof(levee_se_operation, kv_stride), "kv_stride", 4},
    {offsetof(levee_se_operation, table_stride), "table_stride", 2},
    {offsetof(levee_se_operation, outer), "outer", 2},
    {offsetof(levee_se_operation, rows), "rows"},
    {offsetof(levee_se_operation, group), "group"},
    {offsetof(levee_se_operation, n), "n"},
    {offsetof(levee_se_operation, capacity), "capacity"},
    {offsetof(levee_se_operation, sinks), "sinks"},
    {offsetof(levee_se_operation, window), "window"},
    {offsetof(levee_se_operation, kv_row_bytes), "kv_row_bytes"},
    {offsetof(levee_se_operation, score), "score"},
    {offsetof(levee_se_operation, flags), "flags"},
    {offsetof(levee_se_operation, view_bits), "view_bits"},
    {offsetof(levee_se_operation, reserved), "reserved", 1},
    {offsetof(levee_se_operation, seed), "seed"},
};

} // namespace levee::systolic_evictor
