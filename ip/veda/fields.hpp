#pragma once

#include "ip/common/fields.hpp"
#include "ip/veda/regs.h"

namespace levee::veda {

/// The members of levee_veda_operation, for messages.
inline constexpr Field operation_fields[] = {
    {offsetof(levee_veda_operation, a), "a"},
    {offsetof(levee_veda_operation, b), "b"},
    {offsetof(levee_veda_operation, out), "out"},
    {offsetof(levee_veda_operation, lengths), "lengths"},
    {offsetof(levee_veda_operation, a_stride), "a_stride", 4},
    {offsetof(levee_veda_operation, b_stride), "b_stride", 4},
    {offsetof(levee_veda_operation, out_stride), "out_stride", 4},
    {offsetof(levee_veda_operation, lengths_stride), "lengths_stride", 4},
    {offsetof(levee_veda_operation, outer), "outer", 2},
    {offsetof(levee_veda_operation, m), "m"},
    {offsetof(levee_veda_operation, k), "k"},
    {offsetof(levee_veda_operation, n), "n"},
    {offsetof(levee_veda_operation, length_add), "length_add"},
    {offsetof(levee_veda_operation, mode), "mode"},
    {offsetof(levee_veda_operation, flags), "flags"},
    {offsetof(levee_veda_operation, ragged), "ragged"},
    {offsetof(levee_veda_operation, out_type), "out_type"},
};

} // namespace levee::veda
