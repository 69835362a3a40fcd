// SPDX-License-Identifier: Apache-2.0
/* The controller of an eDRAM (ip/edram/regs.h). */
#pragma once

#include "core/abi/boot_info.h"
#include "ip/edram/regs.h"

#include <stdint.h>

struct edram {
    const struct levee_block_info* block; /* NULL: the memory is not an eDRAM */
    uint64_t values;                      /* offset of the values; 0: not divided */
    uint64_t scores;                      /* offset of the score register file */
    uint32_t score_count;                 /* number of entries of the score register file */
};

/* Opens the controller of `memory`, which may be NULL. */
void edram_open(struct edram* edram, const struct levee_memory_info* memory);

/* Sets a group's refresh interval. 0 picoseconds leaves the interval unchanged. */
void edram_set_interval(const struct edram* edram, enum levee_edram_group group, uint64_t ps);

/* A range of vectors. Its entries in the register file are [first_entry, first_entry + vectors). */
struct edram_region {
    uint32_t offset; /* offset of the first vector from the memory's base */
    uint32_t vector_bytes;
    uint32_t first_entry; /* First entry, or LEVEE_EDRAM_NO_ENTRIES. */
    uint32_t vectors;     /* 0: none */
    uint32_t bits;        /* bits of an element: 16, 8 or 4 */
};

/* Sets one of the controller's LEVEE_EDRAM_REGIONS regions. Call it once for each region after a
 * reset. An element width of 16 bits is not written, since it is the state after a reset. */
void edram_set_region(const struct edram* edram, unsigned number,
                      const struct edram_region* region);

/* Discards the memory's contents. */
void edram_forget(const struct edram* edram);
