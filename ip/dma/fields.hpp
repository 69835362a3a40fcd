// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/fields.hpp"
#include "ip/dma/regs.h"

namespace levee::dma {

/// The members of levee_dma_operation, for messages and traces.
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

} // namespace levee::dma
