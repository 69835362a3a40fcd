// SPDX-License-Identifier: Apache-2.0
/* The function unit: its queue, and its operation inside a descriptor (ip/sfu/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/sfu/regs.h"

/* Ends the run if this system has no function unit. */
static inline void sfu_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_SFU, "function unit");
}

/* Returns how many elements the first function unit processes per second in one pass; 0 if there is
 * none. */
uint64_t sfu_elements_per_second(void);

static inline struct levee_sfu_operation* sfu_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_sfu_operation*)(void*)descriptor->operation;
}
