/* The controller of an eDRAM (ip/edram/regs.h). */
#pragma once

#include "ip/common/boot_info.h"
#include "ip/edram/regs.h"

#include <stdint.h>

struct edram {
    const struct levee_block_info* block; /* NULL: the memory is no eDRAM */
    uint64_t values;                      /* offset of the values, 0: not divided */
    uint64_t scores;                      /* offset of the score register file */
    uint32_t score_count;                 /* its entries */
};

/* The controller of `memory`, which may be NULL. */
void edram_open(struct edram* edram, const struct levee_memory_info* memory);

/* Sets a group's refresh interval; 0 picoseconds leave it as it is. */
void edram_set_interval(const struct edram* edram, enum levee_edram_group group, uint64_t ps);

/* Entries [0, vectors) of the register file describe vectors of `vector_bytes` from `offset` on. */
void edram_set_region(const struct edram* edram, uint32_t offset, uint32_t vector_bytes,
                      uint32_t vectors);

/* Nothing it holds is of use any more. */
void edram_forget(const struct edram* edram);
