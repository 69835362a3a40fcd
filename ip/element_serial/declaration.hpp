// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/element_serial/keys.hpp"
#include "ip/element_serial/regs.h"

namespace levee::element_serial {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_es_operation, x),
    LEVEE_FIELD(levee_es_operation, y),
    LEVEE_FIELD(levee_es_operation, out),
    LEVEE_FIELD(levee_es_operation, statistics),
    LEVEE_FIELD(levee_es_operation, gain),
    LEVEE_FIELD(levee_es_operation, bias),
    LEVEE_FIELD(levee_es_operation, lengths),
    LEVEE_FIELD(levee_es_operation, x_stride),
    LEVEE_FIELD(levee_es_operation, y_stride),
    LEVEE_FIELD(levee_es_operation, out_stride),
    LEVEE_FIELD(levee_es_operation, statistics_stride),
    LEVEE_FIELD(levee_es_operation, lengths_stride),
    LEVEE_FIELD(levee_es_operation, outer),
    LEVEE_FIELD(levee_es_operation, rows),
    LEVEE_FIELD(levee_es_operation, group),
    LEVEE_FIELD(levee_es_operation, n),
    LEVEE_FIELD(levee_es_operation, length_add),
    LEVEE_FIELD(levee_es_operation, param),
    LEVEE_FIELD(levee_es_operation, function),
    LEVEE_TYPE_FIELD(levee_es_operation, x_type),
    LEVEE_FIELD(levee_es_operation, flags),
    LEVEE_FIELD(levee_es_operation, reserved),
    LEVEE_PORT_FIELD(levee_es_operation, tap),
    LEVEE_FIELD(levee_es_operation, window),
};

inline constexpr Opcode opcodes[] = {{LEVEE_ES_REDUCE, "REDUCE"},
                                     {LEVEE_ES_NORMALISE, "NORMALISE"}};

/// The unit's arithmetic operations (table in ip/element_serial/README.md).
inline constexpr EnergyEvent add_event{"add"};
inline constexpr EnergyEvent multiply_event{"multiply"};
inline constexpr EnergyEvent exp_event{"exp"};
inline constexpr EnergyEvent divide_event{"divide"};
inline constexpr EnergyEvent sqrt_event{"sqrt"};
inline constexpr EnergyEvent events[] = {add_event, multiply_event, exp_event, divide_event,
                                         sqrt_event};

/// Operands that may not overlap the result. x and y may be overwritten in place, element by
/// element. Gain and bias must not be overwritten, because several vectors use them.
inline constexpr Apart apart[] = {
    LEVEE_APART(levee_es_operation, out, x, true),  LEVEE_APART(levee_es_operation, out, y, true),
    LEVEE_APART(levee_es_operation, out, gain),     LEVEE_APART(levee_es_operation, out, bias),
    LEVEE_APART(levee_es_operation, statistics, x),
};

inline constexpr Declaration declaration{
    .type = "element_serial",
    .number = LEVEE_BLOCK_ELEMENT_SERIAL,
    .interrupts = true,
    .operation_bytes = sizeof(levee_es_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .apart = apart,
    .events = events,
    .parameters = keys,
};

} // namespace levee::element_serial
