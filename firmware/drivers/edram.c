// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/edram.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>
#include <string.h>

#define ELEMENT_BITS 16u /* bits of an element in a region that was never set */

static uint32_t get(const struct edram* edram, uint32_t offset)
{
    return mmio_read32(edram->block->base + offset);
}

static void put(const struct edram* edram, uint32_t offset, uint32_t value)
{
    mmio_write32(edram->block->base + offset, value);
}

static const struct levee_block_info* controller_of(const struct levee_memory_info* memory)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; memory != NULL && i < info->block_count; ++i)
        if (info->blocks[i].type == LEVEE_BLOCK_EDRAM &&
            strcmp(info->blocks[i].name, memory->name) == 0)
            return &info->blocks[i];
    return NULL;
}

void edram_open(struct edram* edram, const struct levee_memory_info* memory)
{
    *edram = (struct edram){.block = controller_of(memory)};
    if (edram->block == NULL)
        return;
    edram->values = get(edram, LEVEE_EDRAM_VALUES);
    edram->scores = get(edram, LEVEE_EDRAM_SCORE_OFFSET);
    edram->score_count = get(edram, LEVEE_EDRAM_SCORE_COUNT);
}

void edram_set_interval(const struct edram* edram, enum levee_edram_group group, uint64_t ps)
{
    if (edram->block == NULL || ps == 0)
        return;
    put(edram, LEVEE_EDRAM_INTERVAL(group), (uint32_t)ps);
    put(edram, LEVEE_EDRAM_INTERVAL(group) + 4, (uint32_t)(ps >> 32));
}

void edram_set_region(const struct edram* edram, unsigned number, const struct edram_region* region)
{
    put(edram, LEVEE_EDRAM_REGION_OFFSET(number), region->offset);
    put(edram, LEVEE_EDRAM_REGION_VECTOR_BYTES(number), region->vector_bytes);
    put(edram, LEVEE_EDRAM_REGION_FIRST_ENTRY(number), region->first_entry);
    if (region->bits != ELEMENT_BITS)
        put(edram, LEVEE_EDRAM_REGION_BITS(number), region->bits);
    put(edram, LEVEE_EDRAM_REGION_VECTORS(number), region->vectors);
}

void edram_forget(const struct edram* edram)
{
    if (edram->block != NULL)
        put(edram, LEVEE_EDRAM_CONTROL, LEVEE_EDRAM_CONTROL_FORGET);
}
