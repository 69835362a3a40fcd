// SPDX-License-Identifier: Apache-2.0
/* ReRAM crossbars: their queue, registers, and operation inside a descriptor (ip/reram/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/reram/regs.h"

/* Ends the run if this system has no crossbars. */
static inline void reram_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_RERAM, "reram");
}

static inline struct levee_reram_operation* reram_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_reram_operation*)(void*)descriptor->operation;
}

/* Reads a register of the first component of this type. */
uint32_t reram_register(uint32_t offset);

/* Returns the number of units for a matrix with this many word lines, bit lines, and bits per
 * element. */
uint32_t reram_units(uint32_t rows, uint32_t columns, uint32_t bits);
