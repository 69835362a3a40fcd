// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/evictor.h"
#include "firmware/hal/system.h"
#include "firmware/sched/lower.h"

#include <stddef.h>

#define FP32_BYTES 4
#define IMPORTANCE_BYTES 2
#define WORD 4

static uint32_t group_of(const struct lowering* lowering)
{
    return lowering->model->header.heads / lowering->model->header.kv_heads;
}

/* Scores come from whoever makes them: the function unit's port, the array's, or, of a prefill's
 * logits, memory. */
static void scores(const struct lowering* lowering, const struct pass* pass,
                   struct levee_se_operation* out)
{
    const bool of_logits = lowering->policy->score == LEVEE_SE_LOGIT;
    const uint32_t width = placement_width(lowering->placement, pass);
    out->n = of_logits ? width : pass->longest;
    if (!of_logits)
        out->scores = LEVEE_STREAM(PORT_FUNCTIONS);
    else if (!pass->form.prefill && !pass->form.search_after)
        out->scores = LEVEE_STREAM(PORT_ARRAY);
    else
        out->scores = lowering->values[VALUE_SCORES].data;
    out->scores_stride[2] = (int32_t)(width * FP32_BYTES);
    out->scores_stride[1] = (int32_t)(group_of(lowering) * pass->rows) * out->scores_stride[2];
    out->scores_stride[0] = (int32_t)lowering->model->header.kv_heads * out->scores_stride[1];
}

static void accumulate(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_se_operation* out)
{
    const uint32_t heads = lowering->model->header.kv_heads;
    const struct cache* cache = &lowering->placement->cache;
    scores(lowering, pass, out);
    out->outer[1] = (uint16_t)heads;
    out->rows = (uint16_t)pass->rows;
    out->flags = LEVEE_SE_CAUSAL;
    out->lengths = pass->lengths;
    out->importance = cache->prefill.importance +
                      (uint64_t)operation->layer * heads * cache->prefilled * IMPORTANCE_BYTES;
    out->importance_stride[1] = (int32_t)(cache->prefilled * IMPORTANCE_BYTES);
}

/* The tables of the slices' heads, as EVICT, SELECT and POPULAR know them. */
static void tables(const struct lowering* lowering, const struct operation* operation,
                   const struct slices* slices, struct levee_se_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct policy* policy = lowering->policy;
    const int32_t heads = (int32_t)lowering->model->header.kv_heads;
    const int32_t slots = (int32_t)cache->slots;
    const uint64_t first =
        cache_slot_index(cache, operation->layer, slices->batch_entry, slices->head);
    const uint64_t live = cache->tables + (uint64_t)operation->layer * cache->table_bytes;
    out->outer[0] = (uint16_t)slices->entries;
    out->outer[1] = (uint16_t)slices->heads;
    out->importance = cache->importance + IMPORTANCE_BYTES * first;
    out->importance_stride[0] = heads * slots * IMPORTANCE_BYTES;
    out->importance_stride[1] = slots * IMPORTANCE_BYTES;
    out->positions = cache->positions + WORD * first;
    out->positions_stride[0] = heads * slots * WORD;
    out->positions_stride[1] = slots * WORD;
    out->next =
        cache_next_of(cache, live) + WORD * (slices->head * cache->batch + slices->batch_entry);
    out->table_stride[0] = WORD;
    out->table_stride[1] = (uint16_t)(WORD * cache->batch);
    out->views = slices->views;
    out->views_stride[0] = slices->views_stride[0];
    out->views_stride[1] = slices->views_stride[1];
    out->n = cache->slots;
    out->capacity = policy->capacity;
    out->sinks = policy->sinks;
    out->window = policy->window;
    out->view_bits = policy->view_bits;
    out->flags = policy->flags;
    /* Whose turn it is depends neither on where slices lie nor on the other layers. */
    out->first_o0 = (uint16_t)slices->batch_entry;
    out->first_o1 = (uint8_t)slices->head;
    out->seed = policy->seed ^ operation->layer * 2654435761u;
}

/* Which tokens of entries from `entry` on, heads from `head` on, are stored as layer inputs. */
static uint64_t formats(const struct lowering* lowering, uint32_t layer, uint32_t entry,
                        uint32_t head, struct levee_se_formats* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const uint64_t live = cache->tables + (uint64_t)layer * cache->table_bytes;
    const uint32_t first_head = entry * shape->kv_heads + head;
    const uint32_t first_entry = layer * cache->batch + entry;
    const int32_t rows = (int32_t)cache->x_rows;
    const int32_t x_row = (int32_t)(2 * shape->dim);
    *out = (struct levee_se_formats){
        .redirect = cache_redirect_of(cache, live) + (uint64_t)WORD * first_head * cache->slots,
        .slot_of = cache_slot_of_of(cache, live) + (uint64_t)WORD * first_head * cache->x_rows,
        .holders = cache->holders + (uint64_t)WORD * first_entry * cache->x_rows,
        .x_positions = cache->x_positions + (uint64_t)WORD * first_entry * cache->x_rows,
        .x_gather = cache->x_gather,
        .current = bus_address(&cache->current[first_entry]),
        .used = bus_address(&cache->used[first_entry]),
        .x = cache->layers[layer].x + (uint64_t)entry * cache->x_rows * (uint32_t)x_row,
        .slot_of_stride = {(int32_t)shape->kv_heads * rows * WORD, rows * WORD},
        .row_table_stride = rows * WORD,
        .entry_table_stride = WORD,
        .x_stride = {rows * x_row, x_row},
        .x_row_bytes = (uint32_t)x_row,
        .rows = cache->x_rows,
        .arrival_row = LEVEE_SE_NONE,
    };
    return bus_address(out);
}

/* The tables, and what is about to change them: the arriving tokens. */
static void arrive(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, const struct slices* slices,
                   struct levee_se_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    tables(lowering, operation, slices, out);
    out->lengths = pass->lengths + WORD * slices->entry;
    out->now = pass->now + WORD * slices->entry;
    out->arrival = lower_slots(lowering, pass, slices).address;
    if (cache->x_rows != 0)
        out->formats = formats(lowering, operation->layer, slices->batch_entry, slices->head,
                               slices->part->formats);
}

static void evict(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, const struct slices* slices,
                  struct levee_se_operation* out)
{
    arrive(lowering, pass, operation, slices, out);
    if (pass->form.scored)
        scores(lowering, pass, out);
    if (pass->form.search_after)
        out->scores += slices->entry * (uint64_t)out->scores_stride[0] +
                       slices->head * (uint64_t)out->scores_stride[1];
}

/* Whose rows, EVICT has said in the same tables. */
static void forget(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, const struct slices* slices,
                   struct levee_se_operation* out)
{
    arrive(lowering, pass, operation, slices, out);
    out->flags = 0;
    out->keys = slices->keys;
    out->values = slices->values;
    out->kv_stride[0] = slices->stride[0];
    out->kv_stride[1] = slices->stride[1];
    out->kv_row_bytes = (uint16_t)(2 * lowering->model->header.head_dim);
}

static void select(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, const struct slices* slices,
                   struct levee_se_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t first = operation->layer * lowering->model->header.kv_heads + slices->head;
    tables(lowering, operation, slices, out);
    out->lengths = pass->lengths;
    out->n = cache->prefilled;
    out->scores = cache->prefill.importance + (uint64_t)first * cache->prefilled * IMPORTANCE_BYTES;
    out->scores_stride[1] = (int32_t)(cache->prefilled * IMPORTANCE_BYTES);
    out->gather = cache->gather + (uint64_t)WORD * slices->head * cache->slots;
}

static void popular(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_se_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct slices all = {
        .entries = 1, .heads = lowering->model->header.kv_heads, .batch_entry = pass->first_entry};
    tables(lowering, operation, &all, out);
    out->gather = cache->gather;
    out->flags = 0;
    out->formats = formats(lowering, operation->layer, pass->first_entry, 0,
                           cache->layers[operation->layer].formats);
}

void lower_evictor(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor)
{
    static const uint8_t opcodes[] = {
        [OPERATION_EVICT] = LEVEE_SE_EVICT,   [OPERATION_ACCUMULATE] = LEVEE_SE_ACCUMULATE,
        [OPERATION_SELECT] = LEVEE_SE_SELECT, [OPERATION_POPULAR] = LEVEE_SE_POPULAR,
        [OPERATION_FORGET] = LEVEE_SE_FORGET,
    };
    struct levee_se_operation* out = evictor_operation(descriptor);
    descriptor->opcode = opcodes[operation->kind];
    out->outer[0] = out->outer[1] = out->rows = 1;
    out->group = (uint16_t)group_of(lowering);
    out->score = lowering->policy->score;
    if (operation->kind == OPERATION_ACCUMULATE) {
        accumulate(lowering, pass, operation, out);
        return;
    }
    if (operation->kind == OPERATION_POPULAR) {
        popular(lowering, pass, operation, out);
        return;
    }
    const struct slices slices =
        cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
    if (operation->kind == OPERATION_EVICT)
        evict(lowering, pass, operation, &slices, out);
    else if (operation->kind == OPERATION_FORGET)
        forget(lowering, pass, operation, &slices, out);
    else
        select(lowering, pass, operation, &slices, out);
}
