// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/reram/keys.hpp"
#include "ip/reram/regs.h"

namespace levee::reram {

inline constexpr Opcode opcodes[] = {{LEVEE_RERAM_PRODUCT, "PRODUCT"},
                                     {LEVEE_RERAM_WRITE, "WRITE"}};
inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_reram_operation, a),
    LEVEE_FIELD(levee_reram_operation, a_scale),
    LEVEE_FIELD(levee_reram_operation, b_scale),
    LEVEE_FIELD(levee_reram_operation, bias),
    LEVEE_FIELD(levee_reram_operation, out),
    LEVEE_FIELD(levee_reram_operation, lengths),
    LEVEE_FIELD(levee_reram_operation, stages),
    LEVEE_FIELD(levee_reram_operation, a_stride),
    LEVEE_FIELD(levee_reram_operation, a_scale_stride),
    LEVEE_FIELD(levee_reram_operation, out_stride),
    LEVEE_FIELD(levee_reram_operation, b_scale_stride),
    LEVEE_FIELD(levee_reram_operation, lengths_stride),
    LEVEE_FIELD(levee_reram_operation, outer),
    LEVEE_FIELD(levee_reram_operation, m1),
    LEVEE_FIELD(levee_reram_operation, m0),
    LEVEE_FIELD(levee_reram_operation, k),
    LEVEE_FIELD(levee_reram_operation, n),
    LEVEE_FIELD(levee_reram_operation, length_add),
    LEVEE_FIELD(levee_reram_operation, alpha),
    LEVEE_TYPE_FIELD(levee_reram_operation, a_type),
    LEVEE_TYPE_FIELD(levee_reram_operation, out_type),
    LEVEE_FIELD(levee_reram_operation, flags),
    LEVEE_FIELD(levee_reram_operation, ragged),
    LEVEE_FIELD(levee_reram_operation, stage_count),
    LEVEE_FIELD(levee_reram_operation, reserved),
};

inline constexpr EnergyEvent cell_event{
    "cell"}; ///< A cell sensed for a cycle, even if its line is not driven.
inline constexpr EnergyEvent dac_event{"dac"};          ///< A line of a crossbar driven for a
                                                        ///< cycle.
inline constexpr EnergyEvent hold_event{"sample_hold"}; ///< A current held by a sample-and-hold
                                                        ///< circuit.
inline constexpr EnergyEvent adc_event{"adc"};          ///< A conversion by an ADC.
inline constexpr EnergyEvent shift_event{"shift_add"};
inline constexpr EnergyEvent cell_write_event{"cell_write"};
inline constexpr EnergyEvent mac_event{.name = "mac", .is_mac = true};
inline constexpr EnergyEvent events[] = {read_event,  write_event,      cell_event,
                                         dac_event,   hold_event,       adc_event,
                                         shift_event, cell_write_event, mac_event};

/// Parameters that are computed from the keys.
inline constexpr const char* derived[] = {"crossbars a unit", "vector of 8 bits",
                                          "vector of 16 bits"};

inline constexpr Declaration declaration{
    .type = "reram",
    .number = LEVEE_BLOCK_RERAM,
    .interrupts = true,
    .stores = true,
    .operation_bytes = sizeof(levee_reram_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
    .derived = derived,
};

} // namespace levee::reram
