// SPDX-License-Identifier: Apache-2.0
/* Registers and operation of the DMA engine (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_DMA 2u /* number of this block in boot_info */

enum levee_dma_opcode { LEVEE_DMA_COPY = 1, LEVEE_DMA_FILL = 2 };

/* COPY copies count[0] * count[1] * count[2] runs, which are contiguous pieces of run_bytes. Run
 * (i, j, k) is at base + i * stride[0] + j * stride[1] + k * stride[2]. Source and destination have
 * separate bases and strides, and must not overlap. FILL reads nothing and writes the byte `fill`.
 * signal_every counts iterations of i.
 *
 * With an index table, the 32-bit word at table + i * stride[0] + j * stride[1] + k * stride[2]
 * replaces k for the source or the destination. A run is skipped if its word in either table is
 * LEVEE_DMA_SKIP. */
#define LEVEE_DMA_SKIP 0xFFFFFFFFu

/* Flag CONTROL of levee_dma_operation: the copied bytes are positions or counts, not tensors.
 * Timing-only runs (data: timing-only) therefore copy them, too. */
#define LEVEE_DMA_CONTROL 0x1u

struct levee_dma_operation {
    uint64_t source;
    uint64_t destination;
    int64_t source_stride[3];
    int64_t destination_stride[3];
    uint32_t count[3];  /* Iterations of each loop, at least 1. */
    uint32_t run_bytes; /* Bytes of a run, at least 1. */
    uint8_t fill;
    uint8_t flags; /* LEVEE_DMA_* */
    uint8_t reserved[6];
    uint64_t source_index; /* Addresses of the index tables; 0: none. */
    uint64_t destination_index;
    int32_t source_index_stride[3];
    int32_t destination_index_stride[3];
};
