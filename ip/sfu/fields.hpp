// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/fields.hpp"
#include "ip/sfu/regs.h"

namespace levee::sfu {

/// The members of levee_sfu_operation, for messages and traces.
inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_sfu_operation, x),
    LEVEE_FIELD(levee_sfu_operation, y),
    LEVEE_FIELD(levee_sfu_operation, out),
    LEVEE_FIELD(levee_sfu_operation, out_scale),
    LEVEE_FIELD(levee_sfu_operation, gain),
    LEVEE_FIELD(levee_sfu_operation, bias),
    LEVEE_FIELD(levee_sfu_operation, lengths),
    LEVEE_FIELD(levee_sfu_operation, indices),
    LEVEE_FIELD(levee_sfu_operation, positions),
    LEVEE_FIELD(levee_sfu_operation, x_stride),
    LEVEE_FIELD(levee_sfu_operation, y_stride),
    LEVEE_FIELD(levee_sfu_operation, out_stride),
    LEVEE_FIELD(levee_sfu_operation, out_scale_stride),
    LEVEE_FIELD(levee_sfu_operation, indices_stride),
    LEVEE_FIELD(levee_sfu_operation, lengths_stride),
    LEVEE_FIELD(levee_sfu_operation, positions_stride),
    LEVEE_FIELD(levee_sfu_operation, outer),
    LEVEE_FIELD(levee_sfu_operation, rows),
    LEVEE_FIELD(levee_sfu_operation, n),
    LEVEE_FIELD(levee_sfu_operation, length_add),
    LEVEE_FIELD(levee_sfu_operation, param),
    LEVEE_FIELD(levee_sfu_operation, seed),
    LEVEE_FIELD(levee_sfu_operation, x_type),
    LEVEE_FIELD(levee_sfu_operation, out_type),
    LEVEE_FIELD(levee_sfu_operation, flags),
    LEVEE_FIELD(levee_sfu_operation, group),
    LEVEE_FIELD(levee_sfu_operation, tap),
};

} // namespace levee::sfu
