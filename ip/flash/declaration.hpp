// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/flash/keys.hpp"
#include "ip/flash/regs.h"

namespace levee::flash {

inline constexpr Opcode opcodes[] = {{LEVEE_FLASH_COMPUTE, "COMPUTE"},
                                     {LEVEE_FLASH_READ, "READ"},
                                     {LEVEE_FLASH_PROGRAM, "PROGRAM"},
                                     {LEVEE_FLASH_ERASE, "ERASE"},
                                     {LEVEE_FLASH_FETCH, "FETCH"}};
inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_flash_operation, input),
    LEVEE_FIELD(levee_flash_operation, result),
    LEVEE_FIELD(levee_flash_operation, data),
    LEVEE_FIELD(levee_flash_operation, rows),
    LEVEE_FIELD(levee_flash_operation, columns),
    LEVEE_FIELD(levee_flash_operation, core_rows),
    LEVEE_FIELD(levee_flash_operation, core_columns),
    LEVEE_FIELD(levee_flash_operation, page),
    LEVEE_FIELD(levee_flash_operation, data_page),
    LEVEE_FIELD(levee_flash_operation, data_pages),
    LEVEE_FIELD(levee_flash_operation, plane),
    LEVEE_FIELD(levee_flash_operation, data_plane),
    LEVEE_FIELD(levee_flash_operation, split),
    LEVEE_FIELD(levee_flash_operation, weight_bits),
    LEVEE_FIELD(levee_flash_operation, input_bytes),
    LEVEE_FIELD(levee_flash_operation, result_bytes),
    LEVEE_FIELD(levee_flash_operation, result_shift),
    LEVEE_FIELD(levee_flash_operation, rest_shift),
    LEVEE_FIELD(levee_flash_operation, row_bytes),
    LEVEE_FIELD(levee_flash_operation, input_scale),
    LEVEE_FIELD(levee_flash_operation, weight_scale),
    LEVEE_FIELD(levee_flash_operation, bias),
};

inline constexpr EnergyEvent sense_event{"page_read"}; ///< Page sensed by the array, for any
                                                       ///< purpose.
inline constexpr EnergyEvent program_event{"page_program"};
inline constexpr EnergyEvent erase_event{"block_erase"};
inline constexpr EnergyEvent channel_event{"channel",
                                           EnergyEvent::Unit::Byte}; ///< Bytes on a channel's bus.
inline constexpr EnergyEvent buffer_event{"buffer", EnergyEvent::Unit::Byte}; ///< Bytes into cores.
inline constexpr EnergyEvent link_event{"link", EnergyEvent::Unit::Byte};     ///< Bytes on link.
/// Time in which a core computes, summed over all cores.
inline constexpr EnergyEvent core_event{"core_busy", EnergyEvent::Unit::Picosecond};
inline constexpr EnergyEvent mac_event{.name = "mac", .is_mac = true};
inline constexpr EnergyEvent decode_event{"decode"}; ///< A page decoded by an error correction
                                                     ///< unit.
inline constexpr EnergyEvent events[] = {read_event,  write_event,   sense_event,  program_event,
                                         erase_event, channel_event, buffer_event, link_event,
                                         core_event,  mac_event,     decode_event};

/// Parameters that are computed from the keys.
inline constexpr const char* derived[] = {"size", "macs/s", "failed dies", "other channels"};

inline constexpr Declaration declaration{
    .type = "flash",
    .number = LEVEE_BLOCK_FLASH,
    .interrupts = true,
    .stores = true,
    .operation_bytes = sizeof(levee_flash_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
    .derived = derived,
};

} // namespace levee::flash
