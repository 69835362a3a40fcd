// SPDX-License-Identifier: Apache-2.0
/* Fills in the DMA engine's operation. */
#pragma once

#include "firmware/drivers/dma.h"

#include <stdbool.h>
#include <stdint.h>

/* Describes a copy. `control` marks copies of positions and counts, which are also made in
 * timing-only runs. Copies of keys, values, inputs, their scales, or importance are not. */
static inline struct levee_dma_operation* dma_copy(struct levee_descriptor* descriptor,
                                                   bool control)
{
    struct levee_dma_operation* out = dma_operation(descriptor);
    descriptor->opcode = LEVEE_DMA_COPY;
    out->flags = control ? LEVEE_DMA_CONTROL : 0;
    out->count[0] = out->count[1] = out->count[2] = 1;
    return out;
}

/* Describes a fill of `bytes` bytes from address `at` on with the value `byte`. */
static inline struct levee_dma_operation* dma_fill(struct levee_descriptor* descriptor,
                                                   bool control, uint64_t at, uint32_t bytes,
                                                   uint8_t byte)
{
    struct levee_dma_operation* out = dma_copy(descriptor, control);
    descriptor->opcode = LEVEE_DMA_FILL;
    out->destination = at;
    out->run_bytes = bytes;
    out->fill = byte;
    return out;
}

static inline void dma_count(struct levee_dma_operation* out, uint32_t i, uint32_t j, uint32_t k)
{
    out->count[0] = i;
    out->count[1] = j;
    out->count[2] = k;
}

static inline void dma_stride(int64_t stride[3], int64_t i, int64_t j, int64_t k)
{
    stride[0] = i;
    stride[1] = j;
    stride[2] = k;
}
