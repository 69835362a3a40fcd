// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/staging.h"

#include "firmware/cache/operations.h"
#include "firmware/cache/tables.h"

#include <stddef.h>

static void open_form(const struct cache* cache, struct cache_form* prefill,
                      struct cache_form* decode)
{
    (void)cache, (void)prefill;
    decode->staged = true;
}

/* Places the redirection table. With stored inputs, it is already part of the slot tables. */
static void place(struct cache* cache, struct space* space)
{
    if (cache->inputs == NULL)
        cache->redirect = cache_place_state(space, cache_redirect_bytes(cache), "redirections");
}

static void arrive(const struct cache_step* step, struct operation_list* list)
{
    const struct cache_form* form = &step->pass->shape.form;
    if (!form->staged)
        return;
    if (form->stores_inputs) {
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_STAGE_SLOTS,
                                     .reads = {VALUE_SNAPSHOT},
                                     .writes = VALUE_SNAPSHOT});
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_SKIP_STORED,
                                     .reads = {VALUE_TABLES},
                                     .writes = VALUE_SNAPSHOT});
    }
    cache_put(step, list,
              (struct operation){
                  .kind = OPERATION_REDIRECT, .reads = {VALUE_SNAPSHOT}, .writes = VALUE_SNAPSHOT});
}

static void amend(const struct cache_step* step, struct operation* operation)
{
    if (!step->pass->shape.form.staged)
        return;
    if (operation->kind == OPERATION_STORE_KEY)
        operation->also_writes |= VALUE_BIT(VALUE_STAGED_KEYS);
    if (operation->kind == OPERATION_STORE_VALUE)
        operation->also_writes |= VALUE_BIT(VALUE_STAGED_VALUES);
    cache_read_staged(operation);
}

/* Called after keys (or values) have been read. Copies the staged keys or values to their slots. */
static void visited(const struct cache_step* step, const struct operation* visitor,
                    struct operation_list* list)
{
    const bool keys = visitor->kind == OPERATION_SCORES;
    const uint8_t staged = keys ? VALUE_STAGED_KEYS : VALUE_STAGED_VALUES;
    if (!step->pass->shape.form.staged)
        return;
    cache_put(
        step, list,
        (struct operation){.kind = keys ? OPERATION_WRITE_BACK_KEY : OPERATION_WRITE_BACK_VALUE,
                           .reads = {staged},
                           .writes = keys ? VALUE_KEYS : VALUE_VALUES,
                           .also_reads = VALUE_BIT(VALUE_SNAPSHOT),
                           .also_writes = VALUE_BIT(staged)});
}

static void evict(const struct cache_step* step, struct operation_list* list)
{
    if (step->pass->shape.form.staged)
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_UNDIRECT,
                                     .reads = {VALUE_SNAPSHOT},
                                     .writes = VALUE_SNAPSHOT});
}

static void new_batch(const struct cache_step* step, struct operation_list* list)
{
    if (step->cache->redirect != 0)
        cache_put(step, list,
                  (struct operation){.kind = OPERATION_RESET_REDIRECT, .writes = VALUE_SNAPSHOT});
}

const struct cache_hooks staging_hooks = {
    .open_form = open_form,
    .place = place,
    .arrive = arrive,
    .amend = amend,
    .visited = visited,
    .evict = evict,
    .new_batch = new_batch,
};
