// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/system.h"
#include "firmware/target/slots/dma_copy.h"
#include "firmware/target/slots/lower.h"

/* Constant words that copies use as their source. */
static const uint32_t none = LEVEE_DMA_SKIP;
static uint32_t staged_row;
_Static_assert(LEVEE_DMA_SKIP == LEVEE_RSA_ROW_HERE && LEVEE_DMA_SKIP == LEVEE_SE_NONE,
               "one value for all three");

static const struct cache* cache_of(const struct lowering* lowering)
{
    return &lowering->placement->cache;
}

void lower_snapshot(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass;
    const struct cache* cache = cache_of(lowering);
    struct levee_dma_operation* out = dma_copy(descriptor, true);
    out->run_bytes = cache->table_bytes;
    out->source = cache->tables + (uint64_t)operation->layer * cache->table_bytes;
    out->destination = cache->snapshot;
}

/* Sets one word for each (entry, head) of the pass, in a table [G][batch]. */
static void words_of_heads(const struct lowering* lowering, const struct pass* pass,
                           int64_t strides[3], struct levee_dma_operation* out)
{
    dma_count(out, pass->shape.entries, lowering->model->header.kv_heads, 1);
    dma_stride(strides, WORD_BYTES, WORD_BYTES * cache_of(lowering)->batch, 0);
    out->run_bytes = WORD_BYTES;
}

void lower_stage_slots(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    const struct cache* cache = cache_of(lowering);
    struct levee_dma_operation* out = dma_copy(descriptor, true);
    words_of_heads(lowering, pass, out->source_stride, out);
    dma_stride(out->destination_stride, WORD_BYTES, WORD_BYTES * cache->batch, 0);
    out->source = cache_next_of(cache, cache->snapshot);
    out->destination = cache->staged_slots;
}

/* Overwrites the staged slots of each entry's arriving token with SKIP if the token is stored as an
 * input. If not, its index in `current` is SKIP, and the DMA engine writes nothing. */
void lower_skip_stored(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = cache_of(lowering);
    struct levee_dma_operation* out = dma_copy(descriptor, true);
    words_of_heads(lowering, pass, out->destination_stride, out);
    out->source = bus_address(&none);
    out->destination = cache->staged_slots;
    out->destination_index = bus_address(&cache->inputs->current[operation->layer * cache->batch]);
    out->destination_index_stride[0] = WORD_BYTES;
}

/* Writes `word` into the redirection table, at the arriving tokens' slots. */
static void redirect(const struct lowering* lowering, const struct pass* pass, const uint32_t* word,
                     struct levee_descriptor* descriptor)
{
    const struct cache* cache = cache_of(lowering);
    const uint32_t heads = lowering->model->header.kv_heads;
    const struct slices all = {.entries = pass->shape.entries, .heads = heads};
    const struct slot_words slots = lower_slots(lowering, pass, &all);
    struct levee_dma_operation* out = dma_copy(descriptor, true);
    dma_count(out, pass->shape.entries, heads, 1);
    out->run_bytes = WORD_BYTES;
    out->source = bus_address(word);
    out->destination = cache_redirect_of(cache, cache->snapshot);
    dma_stride(out->destination_stride, (int64_t)WORD_BYTES * heads * cache->slots,
               (int64_t)WORD_BYTES * cache->slots, WORD_BYTES);
    out->destination_index = slots.address;
    out->destination_index_stride[0] = slots.stride[0];
    out->destination_index_stride[1] = slots.stride[1];
}

void lower_redirect(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    staged_row = lowering->policy->computed_rows;
    redirect(lowering, pass, &staged_row, descriptor);
}

void lower_undirect(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    redirect(lowering, pass, &none, descriptor);
}

/* Copies staged keys or values into their slots. */
void lower_write_back(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = cache_of(lowering);
    const bool keys = operation->kind == OPERATION_WRITE_BACK_KEY;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const uint32_t row = lower_vector_bytes(lowering);
    const int64_t head = (int64_t)lower_staged_rows(lowering) * row;
    const int64_t entry = lowering->model->header.kv_heads * head;
    struct slot_words slots = lower_slots(lowering, pass, &slices);
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    if (pass->shape.form.stores_inputs)
        slots.address =
            cache->staged_slots + WORD_BYTES * (slices.head * cache->batch + slices.batch_entry);
    dma_count(out, slices.entries, slices.heads, 1);
    out->run_bytes = row;
    out->source = lowering->values[operation->reads[0]].data +
                  (uint64_t)(slices.entry * entry + slices.head * head) +
                  (uint64_t)lowering->policy->computed_rows * row;
    dma_stride(out->source_stride, entry, head, 0);
    out->destination = keys ? slices.keys : slices.values;
    dma_stride(out->destination_stride, slices.stride[0], slices.stride[1], row);
    out->destination_index = slots.address;
    out->destination_index_stride[0] = slots.stride[0];
    out->destination_index_stride[1] = slots.stride[1];
}

void lower_reset_tables(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    const struct cache* cache = cache_of(lowering);
    (void)dma_fill(descriptor, true, cache->tables,
                   lowering->model->header.layers * cache->table_bytes, 0xFF);
}

void lower_mark_local(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    struct levee_dma_operation* out =
        dma_fill(descriptor, true, slices.views, slices.slots, LEVEE_SE_VIEW_HIGH);
    dma_count(out, slices.entries, slices.heads, 1);
    dma_stride(out->destination_stride, slices.views_stride[0], slices.views_stride[1], 0);
}

void lower_reset_next(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    const struct cache* cache = cache_of(lowering);
    struct levee_dma_operation* out =
        dma_fill(descriptor, true, cache_next_of(cache, cache->tables),
                 cache->table_bytes - (uint32_t)cache_next_of(cache, 0), 0);
    out->count[0] = lowering->model->header.layers;
    out->destination_stride[0] = cache->table_bytes;
}

void lower_reset_redirect(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    const struct cache* cache = cache_of(lowering);
    (void)dma_fill(descriptor, true, cache->redirect, (uint32_t)cache_redirect_bytes(cache), 0xFF);
}

void lower_reset_importance(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    const struct cache* cache = cache_of(lowering);
    (void)dma_fill(descriptor, false, cache->prefill.importance,
                   (uint32_t)cache->prefill.importance_bytes, 0);
}
