// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/refresh.h"

#include "firmware/drivers/edram.h"
#include "firmware/hal/system.h"

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

void refresh_open(const struct cache* cache)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    struct edram edram, activations;
    edram_open(&edram, cache->store.memory);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        edram_set_interval(&edram, (enum levee_edram_group)group, kv->refresh_ps[group]);
    if (edram.score_count != 0 && cache->policy->evicts)
        edram_set_region(&edram, 0,
                         &(struct edram_region){
                             .vector_bytes = cache->element_bytes * cache->model->header.head_dim,
                             .vectors = cache->resident_slices * cache->slots,
                         });
    edram_open(&activations, system_memory(LEVEE_ROLE_ACTIVATIONS));
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        edram_set_interval(&activations, (enum levee_edram_group)group, kv->activation_refresh_ps);
}

void refresh_new_batch(const struct cache* cache)
{
    struct edram edram;
    edram_open(&edram, cache->store.memory);
    edram_forget(&edram);
}
