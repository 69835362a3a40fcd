// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/command/declaration.hpp"
#include "ip/voting_engine/keys.hpp"
#include "ip/voting_engine/regs.h"

namespace levee::voting_engine {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_ve_operation, probabilities),
    LEVEE_FIELD(levee_ve_operation, votes),
    LEVEE_FIELD(levee_ve_operation, prefill_votes),
    LEVEE_FIELD(levee_ve_operation, positions),
    LEVEE_FIELD(levee_ve_operation, gather),
    LEVEE_FIELD(levee_ve_operation, lengths),
    LEVEE_FIELD(levee_ve_operation, now),
    LEVEE_FIELD(levee_ve_operation, arrival),
    LEVEE_FIELD(levee_ve_operation, next),
    LEVEE_FIELD(levee_ve_operation, probabilities_stride),
    LEVEE_FIELD(levee_ve_operation, votes_stride),
    LEVEE_FIELD(levee_ve_operation, prefill_votes_stride),
    LEVEE_FIELD(levee_ve_operation, positions_stride),
    LEVEE_FIELD(levee_ve_operation, gather_stride),
    LEVEE_FIELD(levee_ve_operation, word_stride),
    LEVEE_FIELD(levee_ve_operation, arrival_stride),
    LEVEE_FIELD(levee_ve_operation, next_stride),
    LEVEE_FIELD(levee_ve_operation, outer),
    LEVEE_FIELD(levee_ve_operation, rows),
    LEVEE_FIELD(levee_ve_operation, reserved),
    LEVEE_FIELD(levee_ve_operation, protect),
    LEVEE_FIELD(levee_ve_operation, n),
    LEVEE_FIELD(levee_ve_operation, capacity),
    LEVEE_FIELD(levee_ve_operation, mean_factor),
    LEVEE_FIELD(levee_ve_operation, deviation_factor),
};

inline constexpr Opcode opcodes[] = {
    {LEVEE_VE_VOTE, "VOTE"},
    {LEVEE_VE_ELECT, "ELECT"},
    {LEVEE_VE_SELECT, "SELECT"},
};

/// All work for one element: it is squared, added, stored and compared with the threshold, and the
/// votes of its slot are updated.
inline constexpr EnergyEvent element_event{"element"};
/// One comparison of a slot's votes with the largest number so far.
inline constexpr EnergyEvent compare_event{"compare"};
inline constexpr EnergyEvent events[] = {element_event, compare_event};

inline constexpr Declaration declaration{
    .type = "voting_engine",
    .number = LEVEE_BLOCK_VOTING_ENGINE,
    .interrupts = true,
    .operation_bytes = sizeof(levee_ve_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace levee::voting_engine
