#pragma once

#include "ip/common/fields.hpp"
#include "ip/dma/regs.h"

namespace levee::dma {

/// The members of levee_dma_operation, for messages.
inline constexpr Field operation_fields[] = {
    {offsetof(levee_dma_operation, source), "source"},
    {offsetof(levee_dma_operation, destination), "destination"},
    {offsetof(levee_dma_operation, source_stride), "source_stride", 8},
    {offsetof(levee_dma_operation, destination_stride), "destination_stride", 8},
    {offsetof(levee_dma_operation, count), "count", 4},
    {offsetof(levee_dma_operation, run_bytes), "run_bytes"},
    {offsetof(levee_dma_operation, fill), "fill"},
    {offsetof(levee_dma_operation, reserved), "reserved", 1},
};

} // namespace levee::dma
