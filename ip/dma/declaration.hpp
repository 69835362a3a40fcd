// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/dma/keys.hpp"
#include "ip/dma/regs.h"

namespace levee::dma {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_dma_operation, source),
    LEVEE_FIELD(levee_dma_operation, destination),
    LEVEE_FIELD(levee_dma_operation, source_stride),
    LEVEE_FIELD(levee_dma_operation, destination_stride),
    LEVEE_FIELD(levee_dma_operation, count),
    LEVEE_FIELD(levee_dma_operation, run_bytes),
    LEVEE_FIELD(levee_dma_operation, fill),
    LEVEE_FIELD(levee_dma_operation, flags),
    LEVEE_FIELD(levee_dma_operation, reserved),
    LEVEE_FIELD(levee_dma_operation, source_index),
    LEVEE_FIELD(levee_dma_operation, destination_index),
    LEVEE_FIELD(levee_dma_operation, source_index_stride),
    LEVEE_FIELD(levee_dma_operation, destination_index_stride),
};

inline constexpr Opcode opcodes[] = {{LEVEE_DMA_COPY, "COPY"}, {LEVEE_DMA_FILL, "FILL"}};

inline constexpr EnergyEvent byte_event{"byte"}; ///< A byte that the engine moved.
inline constexpr EnergyEvent events[] = {byte_event};

/// The engine reads and writes at the same time, so the operands must not overlap.
inline constexpr Apart apart[] = {
    LEVEE_APART(levee_dma_operation, destination, source),
};

inline constexpr TensorType types[] = {
    {offsetof(levee_dma_operation, destination), TensorType::none, LEVEE_TYPE_NONE,
     offsetof(levee_dma_operation, source)},
};

/// A source row may be copied several times.
inline constexpr TensorRows rows[] = {
    {offsetof(levee_dma_operation, source),
     offsetof(levee_dma_operation, source_stride) + 2 * sizeof(std::int64_t),
     {offsetof(levee_dma_operation, count) + 2 * sizeof(std::uint32_t),
      offsetof(levee_dma_operation, count) + 2 * sizeof(std::uint32_t)},
     true},
    {offsetof(levee_dma_operation, destination),
     offsetof(levee_dma_operation, destination_stride) + 2 * sizeof(std::int64_t),
     {offsetof(levee_dma_operation, count) + 2 * sizeof(std::uint32_t),
      offsetof(levee_dma_operation, count) + 2 * sizeof(std::uint32_t)}},
};

inline constexpr Declaration declaration{
    .type = "dma",
    .number = LEVEE_BLOCK_DMA,
    .interrupts = true,
    .operation_bytes = sizeof(levee_dma_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .apart = apart,
    .types = types,
    .rows = rows,
    .events = events,
    .parameters = keys,
};

} // namespace levee::dma
