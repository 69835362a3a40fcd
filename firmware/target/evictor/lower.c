// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/lower.h"

#include "firmware/drivers/evictor.h"
#include "firmware/hal/system.h"

#include <stddef.h>

#define IMPORTANCE_BYTES 2

_Static_assert((int)LEVEE_SE_SOFTMAX == LEVEE_KV_SCORE_SOFTMAX &&
                   (int)LEVEE_SE_LOGIT == LEVEE_KV_SCORE_LOGIT,
               "a policy's score is the evictor's");

static uint32_t group_of(const struct lowering* lowering)
{
    return lowering->model->header.heads / lowering->model->header.kv_heads;
}

static struct levee_se_operation* begin(const struct lowering* lowering, uint8_t opcode,
                                        struct levee_descriptor* descriptor)
{
    struct levee_se_operation* out = evictor_operation(descriptor);
    descriptor->opcode = opcode;
    out->outer[0] = out->outer[1] = out->rows = 1;
    out->group = (uint16_t)group_of(lowering);
    out->score = lowering->policy->score;
    return out;
}

/* Sets the source of the scores. Probabilities come from a stream port of the part for attention.
 * Logits come from the array's port or, in a prefill, from memory. */
static void scores(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_se_operation* out)
{
    const bool of_logits = lowering->policy->score == LEVEE_KV_SCORE_LOGIT;
    const uint32_t width = placement_width(lowering->placement, pass);
    out->n = of_logits ? width : pass->longest;
    if (!of_logits) {
        out->scores = LEVEE_STREAM(lowering->machine->importance_port);
    } else if (!pass->shape.form.prefill && !pass->shape.form.search_after) {
        out->n = lower_slices(lowering, pass, operation).slots;
        out->scores = LEVEE_STREAM(LEVEE_PORT_ARRAY);
    } else {
        out->scores = lowering->values[VALUE_SCORES].data;
    }
    out->scores_stride[2] = (int32_t)(width * FP32_BYTES);
    out->scores_stride[1] =
        (int32_t)(group_of(lowering) * pass->shape.rows) * out->scores_stride[2];
    out->scores_stride[0] = (int32_t)lowering->model->header.kv_heads * out->scores_stride[1];
}

void lower_accumulate(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_se_operation* out = begin(lowering, LEVEE_SE_ACCUMULATE, descriptor);
    const uint32_t heads = lowering->model->header.kv_heads;
    const struct cache* cache = &lowering->placement->cache;
    scores(lowering, pass, operation, out);
    out->outer[1] = (uint16_t)heads;
    out->rows = (uint16_t)pass->shape.rows;
    out->flags = LEVEE_SE_CAUSAL;
    out->lengths = pass->lengths;
    out->importance =
        cache->prefill.importance +
        ((uint64_t)operation->layer * heads * cache->prefilled + pass->origin) * IMPORTANCE_BYTES;
    out->importance_stride[1] = (int32_t)(cache->prefilled * IMPORTANCE_BYTES);
}

/* Sets the tables of the slices' heads for EVICT, SELECT and POPULAR. */
static void tables(const struct lowering* lowering, const struct operation* operation,
                   const struct slices* slices, struct levee_se_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct policy* policy = lowering->policy;
    const int32_t heads = (int32_t)lowering->model->header.kv_heads;
    const int32_t slots = (int32_t)cache->slots;
    const uint64_t first =
        cache_table_index(cache, operation->layer, slices->batch_entry, slices->head);
    const uint64_t live = cache->tables + (uint64_t)operation->layer * cache->table_bytes;
    out->outer[0] = (uint16_t)slices->entries;
    out->outer[1] = (uint16_t)slices->heads;
    out->importance = cache->importance + IMPORTANCE_BYTES * first;
    out->importance_stride[0] = heads * slots * IMPORTANCE_BYTES;
    out->importance_stride[1] = slots * IMPORTANCE_BYTES;
    out->positions = cache->positions + WORD_BYTES * first;
    out->positions_stride[0] = heads * slots * WORD_BYTES;
    out->positions_stride[1] = slots * WORD_BYTES;
    out->next = cache_next_of(cache, live) +
                WORD_BYTES * (slices->head * cache->batch + slices->batch_entry);
    out->table_stride[0] = WORD_BYTES;
    out->table_stride[1] = (uint16_t)(WORD_BYTES * cache->batch);
    out->views = slices->views;
    out->views_stride[0] = slices->views_stride[0];
    out->views_stride[1] = slices->views_stride[1];
    out->n = cache->slots;
    out->capacity = policy->capacity;
    out->sinks = policy->sinks;
    out->window = policy->window;
    out->reach = cache->layers[operation->layer].masked ? policy->reach : 0;
    out->view_bits = policy->view_bits;
    out->flags =
        (uint8_t)((policy->random ? LEVEE_SE_RANDOM : 0) | (policy->redraws ? LEVEE_SE_REDRAW : 0) |
                  (policy->recent_high ? LEVEE_SE_RECENT_HIGH : 0));
    /* A random eviction depends on the entry and the head. It must not depend on the places of
     * slices or on other layers. */
    out->first_o0 = (uint16_t)slices->batch_entry;
    out->first_o1 = (uint8_t)slices->head;
    out->seed = policy->seed ^ operation->layer * 2654435761u;
}

/* Returns the address of the formats of stored inputs, beginning with entry `entry` and head
 * `head`. */
static uint64_t formats(const struct lowering* lowering, uint32_t layer, uint32_t entry,
                        uint32_t head, struct levee_se_formats* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const uint64_t live = cache->tables + (uint64_t)layer * cache->table_bytes;
    const uint32_t first_head = entry * shape->kv_heads + head;
    const uint32_t first_entry = layer * cache->batch + entry;
    const int32_t rows = (int32_t)cache->input_rows;
    const int32_t x_row = (int32_t)(2 * shape->dim);
    *out = (struct levee_se_formats){
        .redirect =
            cache_redirect_of(cache, live) + (uint64_t)WORD_BYTES * first_head * cache->slots,
        .slot_of =
            cache_slot_of_of(cache, live) + (uint64_t)WORD_BYTES * first_head * cache->input_rows,
        .holders = cache->inputs->holders + (uint64_t)WORD_BYTES * first_entry * cache->input_rows,
        .x_positions =
            cache->inputs->positions + (uint64_t)WORD_BYTES * first_entry * cache->input_rows,
        .x_gather = cache->inputs->gather,
        .current = bus_address(&cache->inputs->current[first_entry]),
        .used = bus_address(&cache->inputs->used[first_entry]),
        .x = cache->inputs->rows[layer] + (uint64_t)entry * cache->input_rows * (uint32_t)x_row,
        .slot_of_stride = {(int32_t)shape->kv_heads * rows * WORD_BYTES, rows * WORD_BYTES},
        .row_table_stride = rows * WORD_BYTES,
        .entry_table_stride = WORD_BYTES,
        .x_stride = {rows * x_row, x_row},
        .x_row_bytes = (uint32_t)x_row,
        .rows = cache->input_rows,
        .arrival_row = LEVEE_SE_NONE,
    };
    return bus_address(out);
}

/* Sets the tables, and the lengths, positions and slots of the arriving tokens, which will change
 * the tables. */
static void arrive(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, const struct slices* slices,
                   struct levee_se_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct layer_tables* layer = &lowering->common->layers[operation->layer];
    tables(lowering, operation, slices, out);
    out->lengths = pass->lengths + WORD_BYTES * slices->entry;
    out->now = pass->now + WORD_BYTES * slices->entry;
    out->arrival = lower_slots(lowering, pass, slices).address;
    if (cache->input_rows != 0)
        out->formats = formats(lowering, operation->layer, slices->batch_entry, slices->head,
                               &layer->parts[slices->index].formats);
}

void lower_evict(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices found = lower_slices(lowering, pass, operation);
    const struct slices* slices = &found;
    struct levee_se_operation* out = begin(lowering, LEVEE_SE_EVICT, descriptor);
    arrive(lowering, pass, operation, slices, out);
    if (pass->shape.form.scored)
        scores(lowering, pass, operation, out);
    if (pass->shape.form.search_after)
        out->scores += slices->entry * (uint64_t)out->scores_stride[0] +
                       slices->head * (uint64_t)out->scores_stride[1];
}

/* Sets the number of scores for EVICT and ACCUMULATE. It grows from pass to pass. */
void patch_scores_length(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    if (pass->shape.form.scored && lowering->policy->score == LEVEE_KV_SCORE_SOFTMAX)
        evictor_operation(descriptor)->n = pass->longest;
}

/* Describes INVALIDATE. It reads the tables in which EVICT has listed the rows. */
void lower_invalidate(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices found = lower_slices(lowering, pass, operation);
    const struct slices* slices = &found;
    struct levee_se_operation* out = begin(lowering, LEVEE_SE_FORGET, descriptor);
    arrive(lowering, pass, operation, slices, out);
    out->flags = 0;
    out->keys = slices->keys;
    out->values = lowering->placement->cache.value_bytes == 0 ? slices->values : 0;
    out->kv_stride[0] = slices->stride[0];
    out->kv_stride[1] = slices->stride[1];
    out->kv_row_bytes = (uint16_t)lower_vector_bytes(lowering);
}

void lower_select(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices found = lower_slices(lowering, pass, operation);
    const struct slices* slices = &found;
    struct levee_se_operation* out = begin(lowering, LEVEE_SE_SELECT, descriptor);
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t first = operation->layer * lowering->model->header.kv_heads + slices->head;
    tables(lowering, operation, slices, out);
    out->lengths = pass->lengths;
    out->n = cache->prefilled;
    out->scores = cache->prefill.importance + (uint64_t)first * cache->prefilled * IMPORTANCE_BYTES;
    out->scores_stride[1] = (int32_t)(cache->prefilled * IMPORTANCE_BYTES);
    out->gather = cache->gather + (uint64_t)WORD_BYTES * slices->head * cache->slots;
}

void lower_popular(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_se_operation* out = begin(lowering, LEVEE_SE_POPULAR, descriptor);
    const struct cache* cache = &lowering->placement->cache;
    const struct slices all = {.entries = 1,
                               .heads = lowering->model->header.kv_heads,
                               .batch_entry = pass->shape.first_entry};
    tables(lowering, operation, &all, out);
    out->gather = cache->gather;
    out->flags = 0;
    out->formats = formats(lowering, operation->layer, pass->shape.first_entry, 0,
                           lowering->common->layers[operation->layer].formats);
}
