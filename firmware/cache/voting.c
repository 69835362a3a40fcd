// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/voting.h"

#include "firmware/cache/operations.h"
#include "firmware/cache/slots.h"
#include "firmware/cache/tables.h"

static void place(struct cache* cache, struct space* space)
{
    slots_place(cache, space, (uint64_t)cache->full_layers * cache->batch * cache->slots);
}

static void place_prefill(struct cache* cache, struct space* space)
{
    slots_place_prefill(cache, space, 1);
}

/* Appends VOTE after a softmax. VOTE gets the probabilities through a stream port, so it does not
 * list them among the values that it reads. */
static void score(const struct cache_step* step, const struct operation* scorer,
                  struct operation_list* list)
{
    if (scorer->kind != OPERATION_SOFTMAX)
        return;
    if (step->pass->shape.form.prefill)
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_VOTE, .writes = VALUE_IMPORTANCE});
    else
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_VOTE,
                                     .writes = VALUE_TABLES,
                                     .also_reads = VALUE_BIT(VALUE_SNAPSHOT)});
}

static void evict(const struct cache_step* step, struct operation_list* list)
{
    if (step->pass->shape.form.indexed)
        cache_put(step, list,
                  (struct operation){
                      .kind = OPERATION_ELECT, .reads = {VALUE_TABLES}, .writes = VALUE_TABLES});
}

static void select_kept(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_SELECT_BY_VOTES,
                                 .reads = {VALUE_IMPORTANCE},
                                 .writes = VALUE_GATHER,
                                 .also_writes = VALUE_BIT(VALUE_TABLES)});
}

const struct cache_hooks voting_hooks = {
    SLOTS_SHARED_HOOKS, .place = place, .place_prefill = place_prefill,
    .score = score,     .evict = evict, .select = select_kept,
};
