// SPDX-License-Identifier: Apache-2.0
/* DMA engine: operation (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_DMA 2u /* number of this block in boot_info */

enum levee_dma_opcode { LEVEE_DMA_COPY = 1, LEVEE_DMA_FILL = 2 };

/* Copies count[0] * count[1] * count[2] runs of run_bytes; run (i, j, k) is at base + i *
 * stride[0] + j * stride[1] + k * stride[2] on either side. Source and destination must not
 * overlap. FILL writes the byte `fill` instead of reading. signal_every counts i. With an index
 * table, the 32-bit word at table + i * stride[0] + j * stride[1] + k * stride[2] replaces k on
 * that side; a run whose word is LEVEE_DMA_SKIP on either side is skipped. */
#define LEVEE_DMA_SKIP 0xFFFFFFFFu

/* levee_dma_operation.flags CONTROL: the copy moves positions or counts instead of tensors, so
 * timing-only runs (data: timing-only) move the bytes, too. */
#define LEVEE_DMA_CONTROL 0x1u

struct levee_dma_operation {
    uint64_t source;
    uint64_t destination;
    int64_t source_stride[3];
    int64_t destination_stride[3];
    uint32_t count[3];  /* Counts, at least 1. */
    uint32_t run_bytes; /* Bytes of a run, at least 1. */
    uint8_t fill;
    uint8_t flags; /* LEVEE_DMA_* */
    uint8_t reserved[6];
    uint64_t source_index; /* 0: none */
    uint64_t destination_index;
    int32_t source_index_stride[3];
    int32_t destination_index_stride[3];
};
