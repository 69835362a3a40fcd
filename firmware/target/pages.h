// SPDX-License-Identifier: Apache-2.0
/* Data in pages of a flash for a long pause: erased blocks behind what the flash keeps, programmed
 * from a place in other memory, and read back to it. */
#pragma once

#include "firmware/target/units.h"

#include <stdint.h>

struct model;

struct pages {
    struct command_queue* queue;
    struct command_queue own; /* Used if no row of the machine names the flash. */
    struct levee_descriptor descriptor;
    uint64_t address;         /* Place of the data in other memory. */
    uint32_t page_bytes, row; /* row: pages with the same number in the plane */
    uint32_t block;           /* page numbers erased together */
    uint32_t first;           /* number of the first page, in the last plane */
    uint8_t plane;
};

/* The flash with this memory; NULL: it is none. */
const struct levee_block_info* pages_flash(const struct levee_memory_info* memory);

/* Takes the flash's last blocks for this many bytes. Ends the run, naming the key that asks for
 * them, if the flash does not have them free. */
void pages_open(struct pages* pages, const struct levee_block_info* flash,
                const struct model* model, const struct units* units, uint64_t bytes,
                const char* key);

/* Bytes of whole pages for the data: the size of their place in other memory. */
uint64_t pages_rounded(const struct pages* pages, uint64_t bytes);

/* Sets the place of the data in other memory. A DMA engine fills it, as pages have gaps and an end
 * that no data are written to. */
void pages_place(struct pages* pages, uint64_t address, uint64_t bytes, struct command_queue* dma);

/* Erases the blocks for the first `bytes` and programs them, or reads them. Sleeps until that has
 * ended. */
void pages_put(struct pages* pages, uint64_t bytes);
void pages_get(struct pages* pages, uint64_t bytes);
