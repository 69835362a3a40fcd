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

/* Time of a product with one vector: that of its tiles one after another plus the last one's
 * computation, or of reading its other rows; without the vectors' transfers. 0 without a flash. */
uint64_t flash_product_ns(const struct levee_flash_kept* kept);

/* Time of reading all of its rows. 0 without a flash. */
uint64_t flash_fetch_ns(const struct levee_flash_kept* kept);

static inline struct levee_flash_operation* flash_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_flash_operation*)(void*)descriptor->operation;
}
