#pragma once

#include "ip/common/fields.hpp"
#include "ip/sfu/regs.h"

namespace levee::sfu {

/// The members of levee_sfu_operation, for messages.
inline constexpr Field operation_fields[] = {
    {offsetof(levee_sfu_operation, x), "x"},
    {offsetof(levee_sfu_operation, y), "y"},
    {offsetof(levee_sfu_operation, out), "out"},
    {offsetof(levee_sfu_operation, out_scale), "out_scale"},
    {offsetof(levee_sfu_operation, gain), "gain"},
    {offsetof(levee_sfu_operation, bias), "bias"},
    {offsetof(levee_sfu_operation, lengths), "lengths"},
    {offsetof(levee_sfu_operation, indices), "indices"},
    {offsetof(levee_sfu_operation, positions), "positions"},
    {offsetof(levee_sfu_operation, x_stride), "x_stride", 4},
    {offsetof(levee_sfu_operation, y_stride), "y_stride", 4},
    {offsetof(levee_sfu_operation, out_stride), "out_stride", 4},
    {offsetof(levee_sfu_operation, out_scale_stride), "out_scale_stride", 4},
    {offsetof(levee_sfu_operation, lengths_stride), "lengths_stride", 2},
    {offsetof(levee_sfu_operation, indices_stride), "indices_stride", 2},
    {offsetof(levee_sfu_operation, positions_stride), "positions_stride", 2},
    {offsetof(levee_sfu_operation, outer), "outer", 2},
    {offsetof(levee_sfu_operation, rows), "rows"},
    {offsetof(levee_sfu_operation, n), "n"},
    {offsetof(levee_sfu_operation, length_add), "length_add"},
    {offsetof(levee_sfu_operation, param), "param"},
    {offsetof(levee_sfu_operation, seed), "seed"},
    {offsetof(levee_sfu_operation, x_type), "x_type"},
    {offsetof(levee_sfu_operation, out_type), "out_type"},
    {offsetof(levee_sfu_operation, flags), "flags"},
    {offsetof(levee_sfu_operation, group), "group"},
};

} // namespace levee::sfu
