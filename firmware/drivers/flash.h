// SPDX-License-Identifier: Apache-2.0
/* Flash that computes: its queue, and its operation inside a descriptor (ip/flash/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/flash/regs.h"

/* Ends the run if this system has no flash of this kind. */
static inline void flash_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_FLASH, "flash");
}

/* Returns the time of a product with one vector, without the transfers of inputs and results. The
 * cores process their tiles one after another and then compute the last tile. Meanwhile the other
 * rows are read. The longer of these two times is returned; 0 if there is no flash. */
uint64_t flash_product_ns(const struct levee_flash_kept* kept);

/* Returns the time for reading all rows of the matrix; 0 if there is no flash. */
uint64_t flash_fetch_ns(const struct levee_flash_kept* kept);

static inline struct levee_flash_operation* flash_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_flash_operation*)(void*)descriptor->operation;
}
