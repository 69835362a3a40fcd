// SPDX-License-Identifier: Apache-2.0
/* Copies keys and values between passes, by a DMA engine. It copies them from one entry of the
 * batch to another, or to another memory for a long pause and back. The tables of policies that
 * assign slots are not copied. */
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
    struct command_queue own;    /* used if no row of the machine names a DMA engine */
    struct levee_descriptor descriptors[COPIES_AT_ONCE];
    uint32_t count, submitted; /* numbers of copies, and of submitted copies */
};

/* Opens the copies. Ends the run if no DMA engine can access the keys and values. The message names
 * the key of the scenario that requests copies. */
void copies_open(struct copies* copies, const struct cache* cache, const struct units* units,
                 const char* key);

static inline bool copies_can(const struct copies* copies)
{
    return copies->queue != NULL;
}

/* Copies slots [from, to) of all layers from one entry to another. Each entry is described by a
 * pass that contains only it. Sleeps until the copies are done. */
void copies_run(struct copies* copies, const struct pass* source, const struct pass* destination,
                uint32_t from, uint32_t to);

/* Place of an entry's packed keys, values and scales: in `memory`, beginning at `address`. Data
 * that are already in this memory are not packed. */
struct packing {
    const struct levee_memory_info* memory;
    uint64_t address;
};

enum packing_way { PACKING_COUNTS, PACKING_SAVES, PACKING_RESUMES };

/* Processes the first `tokens` slots of all layers of an entry, which the pass `entry` describes.
 * `way` states whether their bytes are counted, saved, or copied back. Returns the number of bytes.
 * Sleeps until the copies are done. */
uint64_t copies_pack(struct copies* copies, const struct pass* entry, const struct packing* packing,
                     uint32_t tokens, enum packing_way way);
