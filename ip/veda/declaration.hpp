// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/veda/keys.hpp"
#include "ip/veda/regs.h"

namespace levee::veda {

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
    LEVEE_TYPE_FIELD(levee_veda_operation, out_type),
    LEVEE_FIELD(levee_veda_operation, group),
    LEVEE_PORT_FIELD(levee_veda_operation, tap),
    LEVEE_FIELD(levee_veda_operation, work),
    LEVEE_FIELD(levee_veda_operation, work_bytes),
};

inline constexpr Opcode opcodes[] = {{LEVEE_VEDA_GEMV, "GEMV"}};

inline constexpr EnergyEvent mac_event{.name = "fp16_mac", .is_mac = true};
inline constexpr EnergyEvent events[] = {mac_event};

/// Operands that are read again for each part of the result: the vectors and the matrix.
inline constexpr Apart apart[] = {
    LEVEE_APART(levee_veda_operation, out, a),
    LEVEE_APART(levee_veda_operation, out, b),
};

inline constexpr Declaration declaration{
    .type = "veda",
    .number = LEVEE_BLOCK_VEDA,
    .interrupts = true,
    .operation_bytes = sizeof(levee_veda_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .apart = apart,
    .events = events,
    .parameters = keys,
};

} // namespace levee::veda
