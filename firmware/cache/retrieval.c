// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/retrieval.h"

#include "firmware/cache/operations.h"
#include "firmware/cache/tables.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

#define WORD 4u

static void open_form(const struct cache* cache, struct cache_form* prefill,
                      struct cache_form* decode)
{
    (void)cache, (void)prefill;
    if (decode->staged)
        fatal(EXIT_REFUSED,
              "kv_cache.retrieval: scheduler %s stages arriving keys and values, so they are not "
              "in the listed slots; expected another scheduler",
              system_scheduler());
    decode->listed = true;
}

/* Returns whether a key and its value share one scale. In latent attention they do, because the
 * value is the end of the key. */
static bool share_scales(const struct cache* cache)
{
    return cache->value_bytes != 0;
}

static void place(struct cache* cache, struct space* space)
{
    struct listing* listing = &cache->listing;
    listing->width = policy_listed(cache->policy, cache->slots);
    const uint64_t bytes =
        (uint64_t)WORD * cache->batch * cache->model->header.kv_heads * listing->width;
    listing->slots = cache_place_state(space, bytes, "listed slots");
    listing->key_scales = cache_place_state(space, bytes, "listed scales");
    listing->value_scales = share_scales(cache) ? listing->key_scales
                                                : cache_place_state(space, bytes, "listed scales");
    if (cache->one_part == NULL || cache->policy->evicts)
        return;
    listing->any =
        cache_place_state(space, (uint64_t)WORD * cache->batch * cache->slots, "listed slots");
    listing->any_count = cache_place_state(space, WORD * cache->batch, "listed slots");
}

static void amend(const struct cache_step* step, struct operation* operation)
{
    if (!step->pass->shape.form.listed)
        return;
    if (operation->kind == OPERATION_SCORES || operation->kind == OPERATION_MIX)
        operation->also_reads |= VALUE_BIT(VALUE_SNAPSHOT);
    const bool by_list = step->pass->shape.form.scored || share_scales(step->cache);
    if (operation->kind == OPERATION_SOFTMAX)
        operation->also_reads |=
            VALUE_BIT(VALUE_LISTED_SCALES) | (by_list ? VALUE_BIT(VALUE_SNAPSHOT) : 0);
}

/* Expands only the listed compressed rows. */
static void expand(const struct cache_step* step, uint8_t kind, uint8_t value,
                   struct operation_list* list)
{
    if (step->cache->listing.any != 0)
        cache_put(step, list,
                  (struct operation){
                      .kind = kind, .reads = {VALUE_PACKED, VALUE_SNAPSHOT}, .writes = value});
}

/* Returns whether a prefill's keys reach their slots only after the policy has selected the tokens
 * to keep. */
static bool are_gathered(const struct cache_step* step)
{
    return step->cache->policy->evicts && step->pass->shape.form.prefill;
}

static void put_proxies(const struct cache_step* step, struct operation_list* list)
{
    const bool chosen = step->pass->shape.form.indexed;
    cache_put(step, list,
              (struct operation){.kind = OPERATION_WRITE_PROXIES,
                                 .reads = {VALUE_KEYS},
                                 .writes = VALUE_TABLES,
                                 .also_reads = chosen ? VALUE_BIT(VALUE_SNAPSHOT) : 0});
}

static void store_key(const struct cache_step* step, struct operation_list* list)
{
    if (are_gathered(step))
        return;
    put_proxies(step, list);
    if (!step->pass->shape.form.listed)
        return;
    cache_put(step, list,
              (struct operation){.kind = OPERATION_SEARCH,
                                 .reads = {VALUE_QUERY, VALUE_TABLES},
                                 .writes = VALUE_SNAPSHOT});
    expand(step, OPERATION_EXPAND_KEYS, VALUE_KEYS, list);
    cache_put(step, list,
              (struct operation){.kind = OPERATION_LIST_KEY_SCALES,
                                 .reads = {VALUE_KEYS, VALUE_SNAPSHOT},
                                 .writes = VALUE_SNAPSHOT});
}

static void store(const struct cache_step* step, const struct operation* stored,
                  struct operation_list* list)
{
    if (stored->kind == OPERATION_STORE_KEY) {
        store_key(step, list);
        return;
    }
    if (!step->pass->shape.form.listed)
        return;
    expand(step, OPERATION_EXPAND_VALUES, VALUE_VALUES, list);
    cache_put(step, list,
              (struct operation){.kind = OPERATION_LIST_VALUE_SCALES,
                                 .reads = {VALUE_VALUES, VALUE_SNAPSHOT},
                                 .writes = VALUE_LISTED_SCALES});
}

/* Makes proxies for the tokens that the policy has kept from a prefill. */
static void gather(const struct cache_step* step, struct operation_list* list)
{
    if (step->cache->policy->evicts)
        put_proxies(step, list);
}

const struct cache_hooks retrieval_hooks = {
    .open_form = open_form,
    .place = place,
    .amend = amend,
    .store = store,
    .gather = gather,
};
