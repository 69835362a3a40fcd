// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/cim_macro/keys.hpp"
#include "ip/cim_macro/regs.h"

namespace levee::cim_macro {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_cim_macro_operation, data),
    LEVEE_FIELD(levee_cim_macro_operation, out),
    LEVEE_FIELD(levee_cim_macro_operation, stride),
    LEVEE_FIELD(levee_cim_macro_operation, out_stride),
    LEVEE_FIELD(levee_cim_macro_operation, count),
    LEVEE_TYPE_FIELD(levee_cim_macro_operation, type),
    LEVEE_FIELD(levee_cim_macro_operation, reserved),
};

inline constexpr Opcode opcodes[] = {
    {LEVEE_CIM_MACRO_LOAD, "LOAD"},
    {LEVEE_CIM_MACRO_PRODUCT, "PRODUCT"},
};

inline constexpr EnergyEvent mac_event{
    "mac"}; ///< One multiplication of a weight by eight bits of an input.
inline constexpr EnergyEvent weight_event{"weight"}; ///< A weight written to the macro.
inline constexpr EnergyEvent events[] = {mac_event, weight_event};

inline constexpr Declaration declaration{
    .type = "cim_macro",
    .number = LEVEE_BLOCK_CIM_MACRO,
    .interrupts = true,
    .operation_bytes = sizeof(levee_cim_macro_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace levee::cim_macro
