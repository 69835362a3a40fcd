// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "test/component/keys.hpp"
#include "test/component/regs.h"

namespace levee::tally {

inline constexpr std::uint32_t row_bytes = 64;

inline constexpr Opcode opcodes[] = {{LEVEE_TALLY_WEIGH, "WEIGH"}};
inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_tally_operation, offset),   LEVEE_FIELD(levee_tally_operation, to),
    LEVEE_FIELD(levee_tally_operation, count),    LEVEE_FIELD(levee_tally_operation, weights),
    LEVEE_FIELD(levee_tally_operation, reserved),
};
inline constexpr EnergyEvent mac_event{.name = "mac", .is_mac = true};
inline constexpr EnergyEvent scrub_event{"scrub", EnergyEvent::Unit::Byte, row_bytes};
inline constexpr EnergyEvent events[] = {read_event, write_event, mac_event, scrub_event};

inline constexpr Declaration declaration{
    .type = "tally",
    .number = LEVEE_BLOCK_TALLY,
    .interrupts = true,
    .stores = true,
    .operation_bytes = sizeof(levee_tally_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace levee::tally
