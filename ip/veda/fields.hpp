// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/fields.hpp"
#include "ip/veda/regs.h"

namespace levee::veda {

/// The members of levee_veda_operation, for messages and traces.
inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_veda_operation, a),
    LEVEE_FIELD(levee_veda_operation, b),
    LEVEE_FIELD(levee_veda_operation, out),
    LEVEE_FIELD(levee_veda_operation, lengths),
    LEVEE_FIELD(levee_veda_operation, a_stride),
    LEVEE_FIELD(levee_veda_operation, b_stride),
    LEVEE_FIELD(levee_veda_operation, out_stride),
    LEVEE_FIELD(levee_veda_operation, lengths_stride),
    LEVEE_FIELD(levee_veda_operation, outer),
    LEVEE_FIELD(levee_veda_operation, m),
    LEVEE_FIELD(levee_veda_operation, k),
    LEVEE_FIELD(levee_veda_operation, n),
    LEVEE_FIELD(levee_veda_operation, length_add),
    LEVEE_FIELD(levee_veda_operation, mode),
    LEVEE_FIELD(levee_veda_operation, flags),
    LEVEE_FIELD(levee_veda_operation, ragged),
    LEVEE_FIELD(levee_veda_operation, out_type),
};

} // namespace levee::veda
