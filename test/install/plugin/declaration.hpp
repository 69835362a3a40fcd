// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "core/component/keys.hpp"
#include "regs.h"

namespace argmax {

inline constexpr levee::Opcode opcodes[] = {{ARGMAX_FIND, "FIND"}};
inline constexpr levee::Field operation_fields[] = {
    LEVEE_FIELD(argmax_operation, from),
    LEVEE_FIELD(argmax_operation, to),
    LEVEE_FIELD(argmax_operation, count),
    LEVEE_FIELD(argmax_operation, reserved),
};
inline constexpr levee::EnergyEvent compare_event{"compare"}; ///< The event of comparing one
                                                              ///< element.
inline constexpr levee::EnergyEvent events[] = {compare_event};

inline constexpr levee::config::Key keys[] = {
    levee::clock_key,
    levee::config::count32("lanes", "Elements that it compares in a cycle.", {1, 1024}),
};

inline constexpr levee::Declaration declaration{
    .type = "argmax",
    .number = BLOCK_ARGMAX,
    .interrupts = true,
    .operation_bytes = sizeof(argmax_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace argmax
