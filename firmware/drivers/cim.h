// SPDX-License-Identifier: Apache-2.0
/* Compute-in-memory macros: the registers of their cores, and their operation inside a descriptor
 * (ip/cim/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "firmware/hal/mmio.h"
#include "ip/cim/regs.h"

static inline uint32_t cim_register(const struct levee_block_info* block, uint32_t offset)
{
    return mmio_read32(block->base + offset);
}

static inline struct levee_cim_operation* cim_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_cim_operation*)(void*)descriptor->operation;
}
