// SPDX-License-Identifier: Apache-2.0
/* Stores data in pages of a flash during a long pause. The pages are in erased blocks behind the
 * flash's matrices. A buffer in another memory supplies the data for programming, and receives them
 * when they are read back. */
#pragma once

#include "firmware/target/units.h"

#include <stdint.h>

struct model;

struct pages {
    struct command_queue* queue;
    struct command_queue own; /* used if no row of the machine names the flash */
    struct levee_descriptor descriptor;
    uint64_t address;         /* address of the buffer in the other memory */
    uint32_t page_bytes, row; /* row: pages with the same number, one in each die */
    uint32_t block;           /* number of pages that are erased together */
    uint32_t first;           /* number of the first page, in the last plane */
    uint8_t plane;
};

/* Returns the flash block to which this memory belongs; NULL: the memory is no flash. */
const struct levee_block_info* pages_flash(const struct levee_memory_info* memory);

/* Reserves the flash's last blocks for this many bytes. If too few of them are free, ends the run
 * and names the key of the scenario that requests them. */
void pages_open(struct pages* pages, const struct levee_block_info* flash,
                const struct model* model, const struct units* units, uint64_t bytes,
                const char* key);

/* Returns `bytes` rounded up to whole pages, which is the size of the buffer. */
uint64_t pages_rounded(const struct pages* pages, uint64_t bytes);

/* Sets the buffer's address. A DMA engine first fills the whole buffer with a constant, since the
 * data leave gaps in pages and do not fill the last page. */
void pages_place(struct pages* pages, uint64_t address, uint64_t bytes, struct command_queue* dma);

/* pages_put erases the blocks for the first `bytes`, and programs them from the buffer. pages_get
 * reads them into the buffer. Both sleep until the flash has finished. */
void pages_put(struct pages* pages, uint64_t bytes);
void pages_get(struct pages* pages, uint64_t bytes);
