// SPDX-License-Identifier: Apache-2.0
/* A fake driver of eDRAMs. It counts the requests to their controllers. */
#include "firmware/drivers/edram.h"
#include "test/unit/firmware/fake_state.h"

/* Returns the memory's index in the outcome's edrams, or FAKE_EDRAMS if it is not an eDRAM. */
static uint32_t edram_index(const struct levee_memory_info* memory)
{
    if (memory->base == EDRAM_BASE)
        return fake.first_kv_undivided ? FAKE_EDRAMS : 0;
    for (uint32_t i = 0; i < FAKE_MORE_KV; ++i)
        if ((fake.divided >> i & 1u) != 0 && memory->base == MORE_KV_BASE(i))
            return 1 + i;
    const bool holds_activations = memory->base == SRAM_BASE && fake.activation_edram;
    return holds_activations ? FAKE_ACTIVATION_EDRAM : FAKE_EDRAMS;
}

void edram_open(struct edram* edram, const struct levee_memory_info* memory)
{
    *edram = (struct edram){0};
    const uint32_t index = memory != NULL ? edram_index(memory) : FAKE_EDRAMS;
    if (index == FAKE_EDRAMS)
        return;
    edram->block = &fake.controllers[index];
    if (index == FAKE_ACTIVATION_EDRAM)
        return;
    edram->values = index == 0 && fake.plain ? 0 : memory->size / 2;
    edram->scores = memory->size;
    edram->score_count = (uint32_t)(memory->size / ENTRY_BYTES);
}

static struct fake_edram* counts_of(const struct edram* edram)
{
    return &fake.outcome->edrams[edram->block - fake.controllers];
}

void edram_set_interval(const struct edram* edram, enum levee_edram_group group, uint64_t ps)
{
    (void)group;
    if (edram->block != NULL && ps != 0)
        ++counts_of(edram)->intervals;
}

void edram_set_region(const struct edram* edram, unsigned number, const struct edram_region* region)
{
    if (number == 0 && region->first_entry != LEVEE_EDRAM_NO_ENTRIES)
        counts_of(edram)->described = region->vectors;
}

void edram_forget(const struct edram* edram)
{
    if (edram->block != NULL)
        ++counts_of(edram)->forgets;
}
