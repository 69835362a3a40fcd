// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/systolic_evictor/keys.hpp"
#include "ip/systolic_evictor/regs.h"

namespace levee::systolic_evictor {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_se_operation, scores),
    LEVEE_FIELD(levee_se_operation, importance),
    LEVEE_FIELD(levee_se_operation, positions),
    LEVEE_FIELD(levee_se_operation, gather),
    LEVEE_FIELD(levee_se_operation, lengths),
    LEVEE_FIELD(levee_se_operation, now),
    LEVEE_FIELD(levee_se_operation, arrival),
    LEVEE_FIELD(levee_se_operation, next),
    LEVEE_FIELD(levee_se_operation, views),
    LEVEE_FIELD(levee_se_operation, keys),
    LEVEE_FIELD(levee_se_operation, values),
    LEVEE_FIELD(levee_se_operation, formats),
    LEVEE_FIELD(levee_se_operation, scores_stride),
    LEVEE_FIELD(levee_se_operation, importance_stride),
    LEVEE_FIELD(levee_se_operation, positions_stride),
    LEVEE_FIELD(levee_se_operation, views_stride),
    LEVEE_FIELD(levee_se_operation, kv_stride),
    LEVEE_FIELD(levee_se_operation, table_stride),
    LEVEE_FIELD(levee_se_operation, outer),
    LEVEE_FIELD(levee_se_operation, rows),
    LEVEE_FIELD(levee_se_operation, group),
    LEVEE_FIELD(levee_se_operation, n),
    LEVEE_FIELD(levee_se_operation, capacity),
    LEVEE_FIELD(levee_se_operation, sinks),
    LEVEE_FIELD(levee_se_operation, window),
    LEVEE_FIELD(levee_se_operation, kv_row_bytes),
    LEVEE_FIELD(levee_se_operation, score),
    LEVEE_FIELD(levee_se_operation, flags),
    LEVEE_FIELD(levee_se_operation, view_bits),
    LEVEE_FIELD(levee_se_operation, first_o1),
    LEVEE_FIELD(levee_se_operation, first_o0),
    LEVEE_FIELD(levee_se_operation, seed),
};

inline constexpr Opcode opcodes[] = {
    {LEVEE_SE_ACCUMULATE, "ACCUMULATE"}, {LEVEE_SE_EVICT, "EVICT"},   {LEVEE_SE_SELECT, "SELECT"},
    {LEVEE_SE_POPULAR, "POPULAR"},       {LEVEE_SE_FORGET, "FORGET"},
};

inline constexpr EnergyEvent score_event{"score"};     ///< A score added to an importance.
inline constexpr EnergyEvent compare_event{"compare"}; ///< A comparison of two importances.
/// An additional comparison of two tokens' positions; only with `ties: earliest`.
inline constexpr EnergyEvent position_event{"compare_position"};
inline constexpr EnergyEvent events[] = {score_event, compare_event, position_event};

inline constexpr Declaration declaration{
    .type = "systolic_evictor",
    .number = LEVEE_BLOCK_SYSTOLIC_EVICTOR,
    .interrupts = true,
    .operation_bytes = sizeof(levee_se_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace levee::systolic_evictor
