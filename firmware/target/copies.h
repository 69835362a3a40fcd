// SPDX-License-Identifier: Apache-2.0
/* Copies of keys and values from one entry of the batch to another, or to a place for a long pause
 * and back, by a DMA engine, between passes. Policies that give out slots keep tables of them
 * beside: they are not copied. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/target/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COPIES_AT_ONCE 16u

struct copies {
    const struct cache* cache;
    struct command_queue* queue; /* NULL: there is no DMA engine, so nothing can be copied */
    struct command_queue own;    /* Used if no row of the machine names a DMA engine. */
    struct levee_descriptor descriptors[COPIES_AT_ONCE];
    uint32_t count, submitted; /* Numbers of these copies. */
};

/* Ends the run, naming the key that asks for copies, if keys and values lie where no DMA engine
 * reaches them. */
void copies_open(struct copies* copies, const struct cache* cache, const struct units* units,
                 const char* key);

static inline bool copies_can(const struct copies* copies)
{
    return copies->queue != NULL;
}

/* Slots [from, to) of all layers of an entry; of each entry a pass. Sleeps until they are there. */
void copies_run(struct copies* copies, const struct pass* source, const struct pass* destination,
                uint32_t from, uint32_t to);

/* Where an entry's keys, values and scales are packed: `memory` has those that it does not hold
 * anyway, from `address` on. */
struct packing {
    const struct levee_memory_info* memory;
    uint64_t address;
};

enum packing_way { PACKING_COUNTS, PACKING_SAVES, PACKING_RESUMES };

/* The first `tokens` slots of all layers of an entry, of which `entry` is a pass: counts their
 * bytes in the packing, or saves them there, or brings them back. Returns the bytes. Sleeps until
 * they are there. */
uint64_t copies_pack(struct copies* copies, const struct pass* entry, const struct packing* packing,
                     uint32_t tokens, enum packing_way way);
