// SPDX-License-Identifier: Apache-2.0
/* The DMA engine: its queue, and its operation inside a descriptor (ip/dma/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/dma/regs.h"

/* Ends the run if this system has no DMA engine. */
static inline void dma_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_DMA, "DMA engine");
}

static inline struct levee_dma_operation* dma_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_dma_operation*)(void*)descriptor->operation;
}
