// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/weave.h"

#include "firmware/cache/operations.h"
#include "firmware/cache/slots.h"
#include "firmware/cache/tables.h"

#include <stddef.h>

/* Calls `hook` of every set that has it. */
#define FOR_EACH_HOOK(step, hook, ...)                                                             \
    for (uint32_t set = 0; set < (step)->cache->hook_count; ++set)                                 \
        if ((step)->cache->hooks[set]->hook != NULL)                                               \
    (step)->cache->hooks[set]->hook(__VA_ARGS__)

static void after_norm(const struct cache_step* step, const struct operation* norm,
                       struct operation_list* out)
{
    if (norm->writes != VALUE_NORMED)
        return;
    FOR_EACH_HOOK(step, snapshot, step, out);
    FOR_EACH_HOOK(step, arrive, step, out);
}

static void after_store(const struct cache_step* step, const struct operation* stored,
                        struct operation_list* out)
{
    FOR_EACH_HOOK(step, store, step, stored, out);
}

static void after_softmax(const struct cache_step* step, const struct operation* softmax,
                          struct operation_list* out)
{
    FOR_EACH_HOOK(step, score, step, softmax, out);
}

static void after_scores(const struct cache_step* step, const struct operation* scores,
                         struct operation_list* out)
{
    FOR_EACH_HOOK(step, score, step, scores, out);
    FOR_EACH_HOOK(step, visited, step, scores, out);
}

static void after_mix(const struct cache_step* step, const struct operation* mix,
                      struct operation_list* out)
{
    FOR_EACH_HOOK(step, visited, step, mix, out);
    FOR_EACH_HOOK(step, score, step, mix, out);
    FOR_EACH_HOOK(step, evict, step, out);
}

/* Functions to call after each operation in the transformer's list. */
static void (*const after[LLM_OPERATIONS])(const struct cache_step*, const struct operation*,
                                           struct operation_list*) = {
    [OPERATION_NORM] = after_norm,         [OPERATION_STORE_KEY] = after_store,
    [OPERATION_STORE_VALUE] = after_store, [OPERATION_SCORES] = after_scores,
    [OPERATION_SOFTMAX] = after_softmax,   [OPERATION_MIX] = after_mix,
};

void cache_weave(const struct cache* cache, const struct pass* pass,
                 const struct operation_list* transformer, struct operation_list* out)
{
    for (uint32_t i = 0; i < transformer->count; ++i) {
        struct operation operation = transformer->operations[i];
        const struct cache_step step = {cache, pass, operation.layer};
        FOR_EACH_HOOK(&step, amend, &step, &operation);
        operation_append(out, &operation);
        if (after[operation.kind] != NULL)
            after[operation.kind](&step, &operation, out);
    }
}

void cache_list_new_batch(const struct cache_step* step, struct operation_list* list)
{
    if (step->layer == LEVEE_NO_LAYER) {
        FOR_EACH_HOOK(step, new_batch, step, list);
    } else if (step->cache->layers[step->layer].local) {
        if (policy_weighs(step->cache->policy))
            cache_put(step, list,
                      (struct operation){.kind = OPERATION_MARK_LOCAL, .writes = VALUE_TABLES});
    } else {
        FOR_EACH_HOOK(step, new_batch_layer, step, list);
    }
}

void cache_list_new_prefill(const struct cache_step* step, struct operation_list* list)
{
    FOR_EACH_HOOK(step, new_prefill, step, list);
}

/* Lists the selection of tokens after a prefill. A local layer keeps as many tokens as its slice
 * has slots. */
void cache_list_selection(const struct cache_step* step, struct operation_list* list)
{
    if (step->layer != LEVEE_NO_LAYER && step->cache->layers[step->layer].local) {
        if (step->cache->policy->banded)
            slots_gather(step, list);
        return;
    }
    FOR_EACH_HOOK(step, select, step, list);
    FOR_EACH_HOOK(step, gather, step, list);
}
