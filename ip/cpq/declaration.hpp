// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/command/declaration.hpp"
#include "ip/cpq/keys.hpp"
#include "ip/cpq/regs.h"

namespace levee::cpq {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_cpq_operation, data),
    LEVEE_FIELD(levee_cpq_operation, scale),
    LEVEE_FIELD(levee_cpq_operation, packed),
    LEVEE_FIELD(levee_cpq_operation, records),
    LEVEE_FIELD(levee_cpq_operation, slots),
    LEVEE_FIELD(levee_cpq_operation, lengths),
    LEVEE_FIELD(levee_cpq_operation, data_stride),
    LEVEE_FIELD(levee_cpq_operation, scale_stride),
    LEVEE_FIELD(levee_cpq_operation, packed_stride),
    LEVEE_FIELD(levee_cpq_operation, records_stride),
    LEVEE_FIELD(levee_cpq_operation, slots_stride),
    LEVEE_FIELD(levee_cpq_operation, lengths_stride),
    LEVEE_FIELD(levee_cpq_operation, outer),
    LEVEE_FIELD(levee_cpq_operation, rows),
    LEVEE_FIELD(levee_cpq_operation, length_less),
    LEVEE_FIELD(levee_cpq_operation, vectors),
    LEVEE_FIELD(levee_cpq_operation, vector),
    LEVEE_TYPE_FIELD(levee_cpq_operation, type),
    LEVEE_FIELD(levee_cpq_operation, bits),
    LEVEE_FIELD(levee_cpq_operation, max_levels),
    LEVEE_FIELD(levee_cpq_operation, flags),
    LEVEE_FIELD(levee_cpq_operation, table),
    LEVEE_FIELD(levee_cpq_operation, table_step),
    LEVEE_FIELD(levee_cpq_operation, threshold),
    LEVEE_FIELD(levee_cpq_operation, tolerance),
};

inline constexpr Opcode opcodes[] = {
    {LEVEE_CPQ_COMPRESS, "COMPRESS"},
    {LEVEE_CPQ_EXPAND, "EXPAND"},
    {LEVEE_CPQ_RESET, "RESET"},
};

/// One comparison of a value with the threshold. Values of rows that determine level 0 are compared
/// twice.
inline constexpr EnergyEvent prune_event{"prune"};
/// A survivor quantised with its scale and zero.
inline constexpr EnergyEvent quantise_event{"quantise"};
/// A level made and written to the scale-zero buffer.
inline constexpr EnergyEvent level_event{"level"};
/// A stored value dequantised with its scale and zero.
inline constexpr EnergyEvent dequantise_event{"dequantise"};
inline constexpr EnergyEvent events[] = {prune_event, quantise_event, level_event,
                                         dequantise_event};

inline constexpr Declaration declaration{
    .type = "cpq",
    .number = LEVEE_BLOCK_CPQ,
    .interrupts = true,
    .operation_bytes = sizeof(levee_cpq_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace levee::cpq
