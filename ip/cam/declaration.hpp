// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/cam/keys.hpp"
#include "ip/cam/regs.h"

namespace levee::cam {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_cam_operation, vectors),
    LEVEE_FIELD(levee_cam_operation, scales),
    LEVEE_FIELD(levee_cam_operation, slots),
    LEVEE_FIELD(levee_cam_operation, lengths),
    LEVEE_FIELD(levee_cam_operation, counts),
    LEVEE_FIELD(levee_cam_operation, list),
    LEVEE_FIELD(levee_cam_operation, any),
    LEVEE_FIELD(levee_cam_operation, any_count),
    LEVEE_FIELD(levee_cam_operation, vectors_stride),
    LEVEE_FIELD(levee_cam_operation, scales_stride),
    LEVEE_FIELD(levee_cam_operation, list_stride),
    LEVEE_FIELD(levee_cam_operation, any_stride),
    LEVEE_FIELD(levee_cam_operation, any_count_stride),
    LEVEE_FIELD(levee_cam_operation, slots_stride),
    LEVEE_FIELD(levee_cam_operation, word_stride),
    LEVEE_FIELD(levee_cam_operation, outer),
    LEVEE_FIELD(levee_cam_operation, rows),
    LEVEE_FIELD(levee_cam_operation, first_row),
    LEVEE_FIELD(levee_cam_operation, row_stride),
    LEVEE_FIELD(levee_cam_operation, slice_slots),
    LEVEE_FIELD(levee_cam_operation, n),
    LEVEE_FIELD(levee_cam_operation, width),
    LEVEE_FIELD(levee_cam_operation, any_less),
    LEVEE_FIELD(levee_cam_operation, range),
    LEVEE_TYPE_FIELD(levee_cam_operation, type),
    LEVEE_FIELD(levee_cam_operation, bits),
    LEVEE_FIELD(levee_cam_operation, distance),
    LEVEE_FIELD(levee_cam_operation, merge),
};

inline constexpr Opcode opcodes[] = {
    {LEVEE_CAM_WRITE, "WRITE"},
    {LEVEE_CAM_SEARCH, "SEARCH"},
};

inline constexpr EnergyEvent cell_write_event{"cell_write"}; ///< A cell programmed.
inline constexpr EnergyEvent cell_search_event{
    "cell_search"}; ///< A cell compared with the corresponding cell of a query.
inline constexpr EnergyEvent line_event{"line"};   ///< A match line precharged and sensed.
inline constexpr EnergyEvent match_event{"match"}; ///< A slot that the priority encoder outputs.
inline constexpr EnergyEvent events[] = {cell_write_event, cell_search_event, line_event,
                                         match_event};

inline constexpr Declaration declaration{
    .type = "cam",
    .number = LEVEE_BLOCK_CAM,
    .interrupts = true,
    .operation_bytes = sizeof(levee_cam_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .events = events,
    .parameters = keys,
};

} // namespace levee::cam
