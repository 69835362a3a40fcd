// SPDX-License-Identifier: Apache-2.0
/* The part of a descriptor that all blocks share. */
#pragma once

#include "core/abi/descriptor.h"

#include <stdint.h>
#include <string.h>

/* Clears the descriptor: no waits, no signals, and an operation of zeros. */
static inline void descriptor_init(struct levee_descriptor* descriptor, uint8_t opcode,
                                   uint32_t tag)
{
    memset(descriptor, 0, sizeof *descriptor);
    descriptor->magic = LEVEE_DESCRIPTOR_MAGIC;
    descriptor->opcode = opcode;
    descriptor->tag = tag;
    memset(descriptor->wait_counter, LEVEE_NO_COUNTER, sizeof descriptor->wait_counter);
    memset(descriptor->signal_counter, LEVEE_NO_COUNTER, sizeof descriptor->signal_counter);
}

/* Delays the operation's start until `counter` has reached `value`. `slot` is 0 to 3. */
static inline void descriptor_wait(struct levee_descriptor* descriptor, unsigned slot,
                                   uint8_t counter, uint32_t value)
{
    descriptor->wait_counter[slot] = counter;
    descriptor->wait_value[slot] = value;
}

/* Makes the operation add 1 to `counter` on completion. `slot` is 0 or 1. */
static inline void descriptor_signal(struct levee_descriptor* descriptor, unsigned slot,
                                     uint8_t counter)
{
    descriptor->signal_counter[slot] = counter;
    descriptor->signal_add[slot] = 1;
}
