// SPDX-License-Identifier: Apache-2.0
/* The systolic evictor: its queue, and its operation inside a descriptor
 * (ip/systolic_evictor/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/systolic_evictor/regs.h"

/* Ends the run if this system has no systolic evictor. */
static inline void evictor_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_SYSTOLIC_EVICTOR, "systolic evictor");
}

static inline struct levee_se_operation* evictor_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_se_operation*)(void*)descriptor->operation;
}
