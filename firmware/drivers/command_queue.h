// SPDX-License-Identifier: Apache-2.0
/* The command queue of every accelerator block (core/abi/command_regs.h). */
#pragma once

#include "core/abi/boot_info.h"
#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#include <stdbool.h>
#include <stdint.h>

struct command_error {
    enum levee_command_error code;
    uint32_t index; /* number of descriptors accepted before the faulty one */
    uint32_t field; /* byte offset of the faulty field */
    uint32_t tag;
};

struct command_queue {
    const struct levee_block_info* block;
    uint32_t depth;      /* capacity of the queue in descriptors */
    uint32_t submitted;  /* Descriptors submitted since reset; wraps like the block's own count. */
    uint32_t done;       /* LEVEE_CMD_DONE_COUNT when last read */
    uint32_t address_hi; /* value of the block's register of that name */
    /* Called from the error interrupt. command_queue_open sets a function that ends the run. */
    void (*on_error)(struct command_queue* queue, const struct command_error* error);
};

/* Opens the first block of this type, and attaches and enables its interrupts. If the system has no
 * such block, ends the run with a message that contains `what`. */
void command_queue_open(struct command_queue* queue, uint32_t type, const char* what);

/* Opens the given block in the same way. NULL means that the system has no such block. */
void command_queue_open_block(struct command_queue* queue, const struct levee_block_info* block,
                              const char* what);

/* Returns the number of descriptors that can be submitted now. Reads the block's registers only if
 * `wanted` exceeds the last known number of free entries. */
uint32_t command_queue_room(struct command_queue* queue, uint32_t wanted);

/* Rings the doorbell for `count` contiguous descriptors, at most command_queue_room(). The
 * caller must not change them until they have completed. */
void command_queue_submit(struct command_queue* queue, const struct levee_descriptor* first,
                          uint32_t count);

/* Discards the queued descriptors and clears the error. */
void command_queue_reset(struct command_queue* queue);
