// SPDX-License-Identifier: Apache-2.0
/* Common parts of the wrong programs in this folder. */
#pragma once

#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

static inline bool armed_reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* Returns the address of accelerator memory that is still unused. */
static inline uint64_t free_memory(void)
{
    return system_memory(LEVEE_ROLE_ACTIVATIONS)->free_base;
}

/* Returns the core's address of the same memory. */
static inline uintptr_t free_window(void)
{
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    return memory->core_base + (uintptr_t)(memory->free_base - memory->base);
}

/* Fills in a descriptor that copies `bytes` in one run. */
static inline void describe_copy(struct levee_descriptor* copy, uint32_t tag, uint64_t from,
                                 uint64_t to, uint32_t bytes)
{
    descriptor_init(copy, LEVEE_DMA_COPY, tag);
    struct levee_dma_operation* operation = dma_operation(copy);
    operation->source = from;
    operation->destination = to;
    operation->count[0] = operation->count[1] = operation->count[2] = 1;
    operation->run_bytes = bytes;
}
