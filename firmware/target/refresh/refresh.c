// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/refresh/refresh.h"

#include "firmware/drivers/edram.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/placement.h"

#include <stddef.h>

void refresh_describe(const struct levee_memory_info* memory, struct store* store)
{
    struct edram edram;
    edram_open(&edram, memory);
    *store = (struct store){.memory = memory,
                            .refreshed = edram.block != NULL,
                            .values = edram.values,
                            .views = edram.scores,
                            .view_count = edram.score_count};
}

bool refresh_of_activations(void)
{
    struct edram edram;
    edram_open(&edram, system_memory(LEVEE_ROLE_ACTIVATIONS));
    return edram.block != NULL;
}

static bool holds_slices(const struct levee_memory_info* memory, const struct cache* cache)
{
    for (uint32_t i = 0; i < cache->model->header.layers; ++i)
        for (uint32_t part = 0; part < cache->layers[i].part_count; ++part)
            if (cache->layers[i].parts[part].keys - memory->base < memory->size)
                return true;
    return false;
}

/* Ends the run if codes of fewer than 16 bits are in a second memory. Only the first memory of the
 * cache has regions. Later memories would treat narrower codes as 16-bit elements. */
static void refuse_narrow_codes_elsewhere(const struct cache* cache)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        if (memory != cache->store.memory && (cache->refreshed >> i & 1u) != 0 &&
            holds_slices(memory, cache))
            fatal(EXIT_REFUSED,
                  "kv_cache.bits is %lu; memory %s also holds keys and values, but only the first "
                  "memory with the role kv (%s) can hold fewer bits; an additional eDRAM needs %u "
                  "bits",
                  (unsigned long)cache->form.bits, memory->name, cache->store.memory->name,
                  SYSTEM_KV_BITS);
    }
}

/* Sets the regions. Region 0 has the resident keys and values. If tokens are weighed, their scores
 * determine the refresh; otherwise all tokens are refreshed like those with high scores. A region
 * that is not set has 16-bit elements. If the memory is not divided, region 2 has the values. */
static void set_regions(const struct edram* edram, const struct cache* cache)
{
    struct edram_region region = {
        .first_entry = LEVEE_EDRAM_NO_ENTRIES,
        .vector_bytes = cache->vector_bytes,
        .vectors = (uint32_t)cache->resident_vectors,
        .bits = cache->form.bits,
    };
    if (edram->values == 0 && region.vectors != 0)
        region.offset = (uint32_t)(cache->layers[0].parts[0].keys - cache->store.memory->base);
    if (edram->score_count != 0 && policy_weighs(cache->policy))
        region.first_entry = 0;
    if (region.first_entry == 0 || region.bits != SYSTEM_KV_BITS)
        edram_set_region(edram, 0, &region);
    if (edram->values != 0 || region.bits == SYSTEM_KV_BITS || region.vectors == 0 ||
        cache->value_bytes != 0)
        return;
    region.first_entry = LEVEE_EDRAM_NO_ENTRIES;
    region.offset = (uint32_t)(cache->layers[0].parts[0].values - cache->store.memory->base);
    edram_set_region(edram, 2, &region);
}

static void open_edram(const struct levee_memory_info* memory, const struct cache* cache)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    struct edram edram;
    edram_open(&edram, memory);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        edram_set_interval(&edram, (enum levee_edram_group)group, kv->refresh_ps[group]);
    if (memory == cache->store.memory)
        set_regions(&edram, cache);
}

static void open_activations(uint64_t interval)
{
    struct edram activations;
    edram_open(&activations, system_memory(LEVEE_ROLE_ACTIVATIONS));
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        edram_set_interval(&activations, (enum levee_edram_group)group, interval);
}

void refresh_start(const struct lowering* lowering)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i)
        if ((cache->refreshed >> i & 1u) != 0)
            open_edram(&info->memories[i], cache);
    if (cache->form.bits != SYSTEM_KV_BITS)
        refuse_narrow_codes_elsewhere(cache);
    if (info->kv.activation_refresh_ps != 0)
        open_activations(info->kv.activation_refresh_ps);
}

/* Discards the last batch's rows, if the controller can. A controller can discard only its whole
 * memory. If this memory also has other data, such as weights or a new batch's tables, the rows are
 * kept. */
void refresh_new_batch(const struct lowering* lowering)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t keys_and_values = LEVEE_ROLE_KV | LEVEE_ROLE_KV_RING;
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        if ((cache->refreshed >> i & 1u) == 0 || (memory->roles & ~keys_and_values) != 0)
            continue;
        struct edram edram;
        edram_open(&edram, memory);
        edram_forget(&edram);
    }
}

bool refresh_has_rows(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part)
{
    const struct part* found =
        cache_slices(&lowering->placement->cache, pass, operation->layer, part).part;
    return found != NULL && found->refreshed;
}
