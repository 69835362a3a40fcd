// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/kelle/inputs.h"

#include "firmware/cache/operations.h"
#include "firmware/hal/system.h"

#define WORD 4u

static uint64_t layer_bytes(const struct cache* cache)
{
    return space_rounded((uint64_t)cache->input_element_bytes * cache->batch * cache->input_rows *
                         cache->model->header.dim);
}

static void place_layer(const struct cache* cache, uint32_t layer, uint64_t address)
{
    cache->inputs->rows[layer] = address;
}

static void place(struct cache* cache, struct space* space)
{
    const uint32_t layers = cache->model->header.layers;
    const uint64_t rows = (uint64_t)layers * cache->batch * cache->input_rows;
    struct stored_inputs* inputs = cache->inputs;
    inputs->scales = cache_place_state(space, WORD * rows, "scales of inputs");
    inputs->holders = cache_place_state(space, 2 * WORD * rows, "tables of inputs");
    inputs->positions = inputs->holders + WORD * rows;
    inputs->gather =
        cache_place_state(space, (uint64_t)WORD * cache->input_rows, "tables of inputs");
    inputs->current = heap_take(layers * cache->batch * sizeof(uint32_t), "a table");
    inputs->used = heap_take(layers * cache->batch * sizeof(uint32_t), "a table");
}

static void place_prefill(struct cache* cache, struct space* space)
{
    const struct levee_model_header* shape = &cache->model->header;
    const uint64_t tokens = (uint64_t)shape->layers * cache->prefilled;
    struct stored_inputs* inputs = cache->inputs;
    inputs->prefill_rows = cache_place_spill(
        space, cache->input_element_bytes * tokens * shape->dim, "prefilled inputs");
    inputs->prefill_scales = cache_place_spill(space, WORD * tokens, "prefilled inputs");
}

void inputs_clear(const struct cache* cache)
{
    for (uint32_t i = 0; cache->inputs != NULL && i < cache->model->header.layers * cache->batch;
         ++i)
        cache->inputs->current[i] = cache->inputs->used[i] = 0;
}

bool inputs_in_use(const struct cache* cache, uint32_t entries, uint32_t* rows)
{
    bool any = false;
    if (cache->inputs == NULL)
        return false;
    for (uint32_t layer = 0; layer < cache->model->header.layers; ++layer) {
        rows[layer] = cache->layers[layer].local ? 0 : 1;
        for (uint32_t entry = 0; entry < entries; ++entry) {
            const uint32_t used = cache->inputs->used[layer * cache->batch + entry];
            any |= used != 0;
            if (used > rows[layer])
                rows[layer] = used;
        }
    }
    return any;
}

static void open_form(const struct cache* cache, struct cache_form* prefill,
                      struct cache_form* decode)
{
    prefill->stores_inputs = decode->stores_inputs = decode->recomputes = true;
    decode->free = cache->policy->computed_rows == 0;
}

/* Called during a pass. Fetches the stored inputs in use, and stores the arriving token's own
 * input. */
static void arrive(const struct cache_step* step, struct operation_list* list)
{
    const struct cache_form* form = &step->pass->shape.form;
    if (form->recomputes && !form->free)
        cache_put_all(
            step, list, (const uint8_t[]){OPERATION_FETCH_INPUTS, OPERATION_FETCH_INPUT_SCALES}, 2,
            (struct operation){
                .reads = {VALUE_INPUTS}, .writes = VALUE_RECOMPUTE_INPUTS, .extra_rows = 1});
    if (form->stores_inputs)
        cache_put_all(step, list,
                      (const uint8_t[]){OPERATION_STORE_INPUT, OPERATION_STORE_INPUT_SCALE}, 2,
                      (struct operation){.reads = {VALUE_NORMED},
                                         .writes = VALUE_INPUTS,
                                         .also_reads = VALUE_BIT(VALUE_TABLES)});
}

/* Changes operations that use the cache. The products for K and V also process the fetched inputs.
 * Attention reads the recomputed vectors from the staging buffer. */
static void amend(const struct cache_step* step, struct operation* operation)
{
    if (!step->pass->shape.form.recomputes)
        return;
    const bool free = step->pass->shape.form.free;
    if (!free && (operation->writes == VALUE_RAW_KEYS || operation->writes == VALUE_RAW_VALUES)) {
        operation->extra_rows = 1;
        operation->also_reads |= VALUE_BIT(VALUE_RECOMPUTE_INPUTS);
        operation->also_writes |= VALUE_BIT(
            operation->writes == VALUE_RAW_KEYS ? VALUE_RECOMPUTED_KEYS : VALUE_RECOMPUTED_VALUES);
    }
    if (operation->kind == OPERATION_SCORES || operation->kind == OPERATION_MIX)
        operation->extra_rows = 1;
    if (!free)
        cache_read_staged(operation);
}

/* If recomputation counts as free, lists an operation that reads the stored inputs. The array reads
 * them once, like any operand, and they cost nothing else. This read replaces the products for
 * stored tokens. It follows the products of the arriving tokens with the weights of K and V. Scores
 * are computed while the inputs arrive, as with loaded keys. The softmax waits for the last input.
 * Meanwhile the evictor assigns rows for the next step. */
static void read_free(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_READ_INPUTS,
                                 .reads = {VALUE_NORMED},
                                 .writes = VALUE_PROBABILITIES,
                                 .extra_rows = 1});
}

static void store(const struct cache_step* step, const struct operation* stored,
                  struct operation_list* list)
{
    const bool keys = stored->kind == OPERATION_STORE_KEY;
    if (!step->pass->shape.form.recomputes)
        return;
    if (step->pass->shape.form.free) {
        if (!keys)
            read_free(step, list);
        return;
    }
    cache_put(step, list,
              (struct operation){.kind = keys ? OPERATION_RECOMPUTE_KEY : OPERATION_RECOMPUTE_VALUE,
                                 .reads = {keys ? VALUE_RECOMPUTED_KEYS : VALUE_RECOMPUTED_VALUES},
                                 .writes = keys ? VALUE_STAGED_KEYS : VALUE_STAGED_VALUES,
                                 .extra_rows = 1,
                                 .also_reads = VALUE_BIT(VALUE_SNAPSHOT) |
                                               (keys ? VALUE_BIT(VALUE_TABLES) : 0),
                                 .also_writes = VALUE_BIT(stored->writes)});
}

static void new_batch(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_RESET_HOLDERS, .writes = VALUE_TABLES});
    cache_put(step, list,
              (struct operation){.kind = OPERATION_RESET_INPUT_SCALES, .writes = VALUE_INPUTS});
}

static void new_batch_layer(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_RESET_INPUTS, .writes = VALUE_INPUTS});
}

static void select_kept(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_POPULAR,
                                 .reads = {VALUE_GATHER},
                                 .writes = VALUE_GATHER,
                                 .also_writes = VALUE_BIT(VALUE_TABLES)});
}

static void gather_kept(const struct cache_step* step, struct operation_list* list)
{
    cache_put_all(step, list,
                  (const uint8_t[]){OPERATION_GATHER_INPUTS, OPERATION_GATHER_INPUT_SCALES}, 2,
                  (struct operation){.reads = {VALUE_GATHER}, .writes = VALUE_INPUTS});
}

const struct cache_hooks inputs_hooks = {
    .open_form = open_form,
    .layer_bytes = layer_bytes,
    .place_layer = place_layer,
    .place = place,
    .place_prefill = place_prefill,
    .arrive = arrive,
    .amend = amend,
    .store = store,
    .new_batch = new_batch,
    .new_batch_layer = new_batch_layer,
    .select = select_kept,
    .gather = gather_kept,
};
