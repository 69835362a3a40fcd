/* The systolic array: its queue, and its operation inside a descriptor (ip/rsa/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/rsa/regs.h"

/* Ends the run if this system has no systolic array. */
static inline void rsa_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_RSA, "systolic array");
}

/* Processing elements of the first array. */
uint32_t rsa_pe_count(void);

static inline struct levee_rsa_operation* rsa_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_rsa_operation*)(void*)descriptor->operation;
}
