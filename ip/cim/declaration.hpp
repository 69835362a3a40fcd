// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/cim/keys.hpp"
#include "ip/cim/regs.h"

namespace levee::cim {

inline constexpr Opcode opcodes[] = {
    {LEVEE_CIM_LAYER, "LAYER"}, {LEVEE_CIM_LINEAR, "LINEAR"}, {LEVEE_CIM_COMPRESS, "COMPRESS"}};
inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_cim_operation, x),          LEVEE_FIELD(levee_cim_operation, out),
    LEVEE_FIELD(levee_cim_operation, model),      LEVEE_FIELD(levee_cim_operation, lengths),
    LEVEE_FIELD(levee_cim_operation, keys),       LEVEE_FIELD(levee_cim_operation, values),
    LEVEE_FIELD(levee_cim_operation, key_scales), LEVEE_FIELD(levee_cim_operation, value_scales),
    LEVEE_FIELD(levee_cim_operation, kv_layer),   LEVEE_FIELD(levee_cim_operation, scale_layer),
    LEVEE_FIELD(levee_cim_operation, kv_entry),   LEVEE_FIELD(levee_cim_operation, scale_entry),
    LEVEE_FIELD(levee_cim_operation, kv_head),    LEVEE_FIELD(levee_cim_operation, scale_head),
    LEVEE_FIELD(levee_cim_operation, entries),    LEVEE_FIELD(levee_cim_operation, rows),
    LEVEE_FIELD(levee_cim_operation, layer),      LEVEE_FIELD(levee_cim_operation, layers),
    LEVEE_FIELD(levee_cim_operation, matrix),     LEVEE_FIELD(levee_cim_operation, final_tokens),
    LEVEE_FIELD(levee_cim_operation, packed),     LEVEE_FIELD(levee_cim_operation, first_entry),
    LEVEE_FIELD(levee_cim_operation, reserved),
};

// Times are busy times, summed over units. `..._active` omits values that sparsity skips.
using Counted = EnergyEvent::Unit;
inline constexpr EnergyEvent macro_event{"macro", Counted::Picosecond};
inline constexpr EnergyEvent accumulator_event{"accumulator", Counted::Picosecond};
inline constexpr EnergyEvent engine_on_event{"engine_on", Counted::Picosecond};
inline constexpr EnergyEvent engine_active_event{"engine_active", Counted::Picosecond};
inline constexpr EnergyEvent pruning_event{"pruning", Counted::Picosecond};
inline constexpr EnergyEvent quantisation_on_event{"quantisation_on", Counted::Picosecond};
inline constexpr EnergyEvent quantisation_active_event{"quantisation_active", Counted::Picosecond};
inline constexpr EnergyEvent dequantisation_on_event{"dequantisation_on", Counted::Picosecond};
inline constexpr EnergyEvent dequantisation_active_event{"dequantisation_active",
                                                         Counted::Picosecond};
inline constexpr EnergyEvent softmax_event{"softmax", Counted::Picosecond};
inline constexpr EnergyEvent norm_event{"norm", Counted::Picosecond};
inline constexpr EnergyEvent activation_event{"activation", Counted::Picosecond};
inline constexpr EnergyEvent rotation_event{"rotation", Counted::Picosecond};
inline constexpr EnergyEvent buffer_on_event{"buffer_on", Counted::Picosecond};
inline constexpr EnergyEvent scale_buffer_on_event{"scale_buffer_on", Counted::Picosecond};
inline constexpr EnergyEvent buffer_event{
    "buffer", Counted::Byte}; ///< Bytes written to the buffer and read from it.
inline constexpr EnergyEvent scale_buffer_event{"scale_buffer", Counted::Byte};
/// Bytes to and from off-chip memory, if the scenario's `reading` counts no time for them.
inline constexpr EnergyEvent off_chip_event{"off_chip", Counted::Byte};
/// Weights loaded from off-chip memory, once in a run. Weights that are resident from the start do
/// not count.
inline constexpr EnergyEvent loaded_event{"loaded", Counted::Byte};
inline constexpr EnergyEvent loading_event{"loading", Counted::Picosecond}; ///< Time in which
                                                                            ///< loading occupies
                                                                            ///< the buffer.
inline constexpr EnergyEvent mac_event{.name = "mac", .is_mac = true};
inline constexpr EnergyEvent events[] = {read_event,
                                         write_event,
                                         macro_event,
                                         accumulator_event,
                                         engine_on_event,
                                         engine_active_event,
                                         pruning_event,
                                         quantisation_on_event,
                                         quantisation_active_event,
                                         dequantisation_on_event,
                                         dequantisation_active_event,
                                         softmax_event,
                                         norm_event,
                                         activation_event,
                                         rotation_event,
                                         buffer_on_event,
                                         scale_buffer_on_event,
                                         buffer_event,
                                         scale_buffer_event,
                                         off_chip_event,
                                         loaded_event,
                                         loading_event,
                                         mac_event};

/// Parameters that are computed from the keys.
inline constexpr const char* derived[] = {"size",
                                          "macros",
                                          "accumulators",
                                          "engines",
                                          "softmax_units",
                                          "norm_units",
                                          "activation_units",
                                          "pruning_units",
                                          "quantisation_units",
                                          "dequantisation_units"};

inline constexpr Declaration declaration{
    .type = "cim",
    .number = LEVEE_BLOCK_CIM,
    .interrupts = true,
    .stores = true,
    .operation_bytes = sizeof(levee_cim_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
    .derived = derived,
};

} // namespace levee::cim
