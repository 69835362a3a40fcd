// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/boot_info.h"
#include "ip/common/declaration.hpp"
#include "ip/dma/regs.h"

namespace levee::dma {

/// The members of levee_dma_operation.
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

inline constexpr EnergyEvent byte_event{"byte"}; ///< a byte that passed through the engine
inline constexpr EnergyEvent events[] = {byte_event};

/// The engine reads and writes at once.
inline constexpr Apart apart[] = {
    LEVEE_APART(levee_dma_operation, destination, source),
};

inline constexpr Declaration declaration{
    .type = "dma",
    .number = LEVEE_BLOCK_DMA,
    .interrupts = true,
    .operation_bytes = sizeof(levee_dma_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .apart = apart,
    .events = events,
};

} // namespace levee::dma
