// SPDX-License-Identifier: Apache-2.0
/* The command queue every accelerator block has (ip/common/command_regs.h). */
#pragma once

#include "ip/common/boot_info.h"
#include "ip/common/command_regs.h"
#include "ip/common/descriptor.h"

#include <stdbool.h>
#include <stdint.h>

struct command_error {
    enum levee_command_error code;
    uint32_t index; /* descriptors the queue had taken before the offending one */
    uint32_t field; /* byte offset of the offending field */
    uint32_t tag;
};

struct command_queue {
    const struct levee_block_info* block;
    uint32_t depth;      /* descriptors the empty queue takes */
    uint32_t submitted;  /* since reset, wraps as the block's own count does */
    uint32_t done;       /* LEVEE_CMD_DONE_COUNT when last read */
    uint32_t address_hi; /* as the block has it */
    /* Called from the error interrupt; command_queue_open sets one that ends the run. */
    void (*on_error)(struct command_queue* queue, const struct command_error* error);
};

/* Opens the first block of this type: attaches and enables its interrupts. Ends the run, naming
 * `what`, if the system has none. */
void command_queue_open(struct command_queue* queue, enum levee_block_type type, const char* what);

/* The same for a given block; NULL: the system has none. */
void command_queue_open_block(struct command_queue* queue, const struct levee_block_info* block,
                              const char* what);

/* How many descriptors can be submitted now. The block is asked only when `wanted` is more than
 * what this side knows to be free. */
uint32_t command_queue_room(struct command_queue* queue, uint32_t wanted);

/* Rings the doorbell for `count` descriptors lying one after another, at most command_queue_room().
 * They must not be written until they have completed. */
void command_queue_submit(struct command_queue* queue, const struct levee_descriptor* first,
                          uint32_t count);

/* Drops what is queued and clears the error. */
void command_queue_reset(struct command_queue* queue);
