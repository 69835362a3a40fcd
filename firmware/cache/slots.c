// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/slots.h"

#include "firmware/cache/operations.h"
#include "firmware/cache/tables.h"
#include "firmware/hal/fatal.h"

#define WORD 4u
#define IMPORTANCE_BYTES 2u

void slots_open_form(const struct cache* cache, struct cache_form* prefill,
                     struct cache_form* decode)
{
    prefill->prefill = decode->indexed = true;
    prefill->scored = decode->scored = cache->policy->scores;
    decode->search_after = cache->policy->search_after;
}

void slots_place(struct cache* cache, struct space* space, uint64_t scored)
{
    const struct levee_model_header* shape = &cache->model->header;
    const uint64_t next = cache_next_bytes(cache);
    if (cache->batch > UINT16_MAX / WORD) /* the table `next` has 16-bit strides between heads */
        fatal(EXIT_REFUSED,
              "workload.batch is %lu; expected at most %lu for a cache that evicts tokens, or "
              "kv_cache.policy full",
              (unsigned long)cache->batch, (unsigned long)(UINT16_MAX / WORD));
    cache->table_bytes = (uint32_t)(cache_next_of(cache, 0) + next);
    cache->importance = cache_place_state(space, IMPORTANCE_BYTES * scored, "importance scores");
    cache->positions = cache_place_state(space, WORD * scored, "positions");
    cache->tables =
        cache_place_state(space, (uint64_t)shape->layers * cache->table_bytes, "slot tables");
    cache->snapshot = cache_place_state(space, cache->table_bytes, "slot tables");
    cache->staged_slots = cache_place_state(space, next, "slot tables");
    cache->gather =
        cache_place_state(space, (uint64_t)shape->kv_heads * cache->slots * WORD, "slot tables");
}

static void place(struct cache* cache, struct space* space)
{
    slots_place(cache, space, cache_table_index(cache, cache->model->header.layers, 0, 0));
}

void slots_place_prefilled(struct cache* cache, struct space* space, uint32_t layers)
{
    const uint64_t vectors = (uint64_t)layers * cache->prefilled * cache->model->header.kv_heads;
    const uint64_t bytes = cache->vector_bytes * vectors;
    struct prefill_cache* prefill = &cache->prefill;
    prefill->keys = cache_place_spill(space, bytes, "prefilled keys");
    if (cache->scaled)
        prefill->key_scales = cache_place_spill(space, WORD * vectors, "prefilled keys");
    prefill->values = prefill->keys + cache->value_bytes;
    prefill->value_scales = prefill->key_scales;
    if (cache->value_bytes != 0)
        return;
    prefill->values = cache_place_spill(space, bytes, "prefilled values");
    if (cache->scaled)
        prefill->value_scales = cache_place_spill(space, WORD * vectors, "prefilled values");
}

void slots_place_prefill(struct cache* cache, struct space* space, uint32_t scored)
{
    const struct levee_model_header* shape = &cache->model->header;
    struct prefill_cache* prefill = &cache->prefill;
    slots_place_prefilled(cache, space, shape->layers);
    prefill->importance_bytes =
        (uint64_t)IMPORTANCE_BYTES * shape->layers * cache->prefilled * scored;
    prefill->importance =
        cache_place_spill(space, prefill->importance_bytes, "prefilled importance scores");
}

static void place_prefill(struct cache* cache, struct space* space)
{
    slots_place_prefill(cache, space, cache->model->header.kv_heads);
}

void slots_snapshot(const struct cache_step* step, struct operation_list* list)
{
    if (step->pass->shape.form.indexed)
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_SNAPSHOT,
                                     .reads = {VALUE_TABLES},
                                     .writes = VALUE_SNAPSHOT});
}

/* Makes the operation use the slots that the tables list. If the search for a victim runs after
 * attention, later operations also wait for it. */
void slots_amend(const struct cache_step* step, struct operation* operation)
{
    const struct cache_form* form = &step->pass->shape.form;
    const bool stores =
        operation->kind == OPERATION_STORE_KEY || operation->kind == OPERATION_STORE_VALUE;
    if (form->indexed && stores)
        operation->also_reads |= VALUE_BIT(VALUE_SNAPSHOT);
    if (form->search_after && operation->writes == VALUE_PROJECTED &&
        operation->reads[0] == VALUE_ATTENDED)
        operation->also_reads |= VALUE_BIT(VALUE_TABLES);
}

/* Updates the tokens' importance with the scores of the arriving tokens. Scores arrive on a stream
 * port in a decode step, in a tiled prefill, and whenever they are softmax scores. In all other
 * cases they are logits and are read from memory. If the search for a victim runs after attention,
 * a decode step's scores are also read from memory. */
static void put_importance(const struct cache_step* step, struct operation_list* list)
{
    const struct cache_form* form = &step->pass->shape.form;
    const bool of_logits = step->cache->policy->score == LEVEE_KV_SCORE_LOGIT;
    const uint32_t attention = form->search_after ? VALUE_BIT(VALUE_MIXED) : 0;
    if (form->prefill)
        cache_put(
            step, list,
            (struct operation){.kind = OPERATION_ACCUMULATE,
                               .reads = {of_logits && !form->streamed ? VALUE_SCORES : VALUE_NONE},
                               .writes = VALUE_IMPORTANCE});
    else
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_EVICT,
                                     .reads = {form->search_after ? VALUE_SCORES : VALUE_NONE},
                                     .writes = VALUE_TABLES,
                                     .also_reads = VALUE_BIT(VALUE_SNAPSHOT) | attention,
                                     .also_writes = VALUE_BIT(VALUE_INPUTS)});
}

/* Returns the kind of operation after which importance is updated: MIX if the search for a victim
 * runs after attention, otherwise SCORES or SOFTMAX, whichever the policy counts. */
static uint8_t scorer_of(const struct cache_step* step)
{
    if (step->pass->shape.form.search_after)
        return OPERATION_MIX;
    return step->cache->policy->score == LEVEE_KV_SCORE_LOGIT ? OPERATION_SCORES
                                                              : OPERATION_SOFTMAX;
}

static void score(const struct cache_step* step, const struct operation* scorer,
                  struct operation_list* list)
{
    if (step->pass->shape.form.scored && scorer->kind == scorer_of(step))
        put_importance(step, list);
}

static void evict(const struct cache_step* step, struct operation_list* list)
{
    const struct cache_form* form = &step->pass->shape.form;
    if (!form->indexed)
        return;
    if (!form->scored)
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_EVICT,
                                     .reads = {VALUE_SNAPSHOT},
                                     .writes = VALUE_TABLES,
                                     .also_writes = VALUE_BIT(VALUE_INPUTS)});
    cache_put(step, list,
              (struct operation){.kind = OPERATION_INVALIDATE,
                                 .reads = {VALUE_TABLES, VALUE_SNAPSHOT},
                                 .writes = VALUE_KEYS,
                                 .also_writes = VALUE_BIT(VALUE_VALUES)});
}

void slots_new_batch(const struct cache_step* step, struct operation_list* list)
{
    cache_put_all(step, list, (const uint8_t[]){OPERATION_RESET_TABLES, OPERATION_RESET_NEXT}, 2,
                  (struct operation){.writes = VALUE_TABLES});
}

void slots_new_prefill(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_RESET_IMPORTANCE, .writes = VALUE_IMPORTANCE});
}

static void select_kept(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_SELECT,
                                 .reads = {VALUE_IMPORTANCE},
                                 .writes = VALUE_GATHER,
                                 .also_writes = VALUE_BIT(VALUE_TABLES)});
}

void slots_gather(const struct cache_step* step, struct operation_list* list)
{
    cache_put_all(step, list, (const uint8_t[]){OPERATION_GATHER_KEYS, OPERATION_GATHER_KEY_SCALES},
                  2, (struct operation){.reads = {VALUE_GATHER}, .writes = VALUE_KEYS});
    if (step->cache->value_bytes != 0)
        return;
    cache_put_all(step, list,
                  (const uint8_t[]){OPERATION_GATHER_VALUES, OPERATION_GATHER_VALUE_SCALES}, 2,
                  (struct operation){.reads = {VALUE_GATHER}, .writes = VALUE_VALUES});
}

const struct cache_hooks slots_hooks = {
    SLOTS_SHARED_HOOKS, .place = place, .place_prefill = place_prefill,
    .score = score,     .evict = evict, .select = select_kept,
};
