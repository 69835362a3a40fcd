// SPDX-License-Identifier: Apache-2.0
/* VEDA's PE arrays: their queue, and their operation inside a descriptor (ip/veda/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/veda/regs.h"

/* Ends the run if this system has no arrays of this kind. */
static inline void veda_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_VEDA, "PE arrays");
}

/* veda_arrays returns the number of arrays in the block. veda_lanes returns the number of PEs in
 * one array. */
uint32_t veda_arrays(const struct levee_block_info* block);
uint32_t veda_lanes(const struct levee_block_info* block);

static inline struct levee_veda_operation* veda_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_veda_operation*)(void*)descriptor->operation;
}
