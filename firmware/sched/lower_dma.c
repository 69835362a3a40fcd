// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/dma.h"
#include "firmware/hal/system.h"
#include "firmware/sched/lower.h"
#include "ip/rsa/regs.h"
#include "ip/systolic_evictor/regs.h"

#define WORD 4
#define INT16_BYTES 2

/* Words that copies are made of. */
static const uint32_t none = LEVEE_DMA_SKIP;
static uint32_t beside_row;
_Static_assert(LEVEE_DMA_SKIP == LEVEE_RSA_ROW_HERE && LEVEE_DMA_SKIP == LEVEE_SE_NONE,
               "one word says all three");

static void count(struct levee_dma_operation* out, uint32_t i, uint32_t j, uint32_t k)
{
    out->count[0] = i;
    out->count[1] = j;
    out->count[2] = k;
}

static void stride(int64_t stride[3], int64_t i, int64_t j, int64_t k)
{
    stride[0] = i;
    stride[1] = j;
    stride[2] = k;
}

static uint64_t tables_of(const struct cache* cache, uint32_t layer)
{
    return cache->tables + (uint64_t)layer * cache->table_bytes;
}

/* A word for each (entry, head) of the pass, in a table of [G][batch]. */
static void words_of_heads(const struct lowering* lowering, const struct pass* pass,
                           int64_t strides[3], struct levee_dma_operation* out)
{
    count(out, pass->entries, lowering->model->header.kv_heads, 1);
    stride(strides, WORD, WORD * lowering->placement->cache.batch, 0);
    out->run_bytes = WORD;
}

/* SKIP over the slots of entries whose arriving token has an x row: `current` names one, and what
 * it names is always the same place. */
static void skip_stored(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    words_of_heads(lowering, pass, out->destination_stride, out);
    out->source = bus_address(&none);
    out->destination = cache->keep;
    out->destination_index = bus_address(&cache->current[operation->layer * cache->batch]);
    out->destination_index_stride[0] = WORD;
}

/* `word` into the redirections of the slots the arriving tokens take. */
static void redirect(const struct lowering* lowering, const struct pass* pass, const uint32_t* word,
                     struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t heads = lowering->model->header.kv_heads;
    const struct slices all = {.entries = pass->entries, .heads = heads};
    const struct slot_words slots = lower_slots(lowering, pass, &all);
    count(out, pass->entries, heads, 1);
    out->run_bytes = WORD;
    out->source = bus_address(word);
    out->destination = cache_redirect_of(cache, cache->snapshot);
    stride(out->destination_stride, (int64_t)WORD * heads * cache->slots,
           (int64_t)WORD * cache->slots, WORD);
    out->destination_index = slots.address;
    out->destination_index_stride[0] = slots.stride[0];
    out->destination_index_stride[1] = slots.stride[1];
}

/* Held keys or values into their slots. */
static void keep(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const bool keys = operation->kind == OPERATION_KEEP_KEY;
    const struct slices slices = cache_slices(cache, pass, operation->layer, operation->part);
    const uint32_t row = lowering->model->header.head_dim * INT16_BYTES;
    const int64_t head = (int64_t)lower_beside_rows(lowering) * row;
    const int64_t entry = lowering->model->header.kv_heads * head;
    struct slot_words slots = lower_slots(lowering, pass, &slices);
    if (pass->form.keeps_x)
        slots.address = cache->keep + WORD * (slices.head * cache->batch + slices.batch_entry);
    count(out, slices.entries, slices.heads, 1);
    out->run_bytes = row;
    out->source = lowering->values[operation->reads[0]].data +
                  (uint64_t)(slices.entry * entry + slices.head * head) +
                  (uint64_t)lowering->policy->x_rows * row;
    stride(out->source_stride, entry, head, 0);
    out->destination = keys ? slices.keys : slices.values;
    stride(out->destination_stride, slices.stride[0], slices.stride[1], row);
    out->destination_index = slots.address;
    out->destination_index_stride[0] = slots.stride[0];
    out->destination_index_stride[1] = slots.stride[1];
}

/* What `bytes` of each row the layer's x rows have: their elements, or their scale. */
struct x_table {
    uint64_t stored, prefilled, normed;
    uint32_t bytes;
};

static struct x_table x_table(const struct lowering* lowering, uint32_t layer, bool scales)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct operand* normed = &lowering->values[VALUE_NORMED];
    const uint64_t entry = (uint64_t)layer * cache->batch;
    const uint64_t token = (uint64_t)layer * cache->prefilled;
    const uint32_t row = lowering->model->header.dim * INT16_BYTES;
    if (scales)
        return (struct x_table){cache->x_scales + WORD * entry * cache->x_rows,
                                cache->prefill.x_scales + WORD * token, normed->scale, WORD};
    return (struct x_table){cache->layers[layer].x, cache->prefill.x + row * token, normed->data,
                            row};
}

/* In a prefill, row by position; else into the row the evictor has given each entry. */
static void keep_x(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct x_table x =
        x_table(lowering, operation->layer, operation->kind == OPERATION_KEEP_X_SCALE);
    count(out, pass->entries, 1, 1);
    out->source = x.normed;
    out->destination_index_stride[0] = WORD;
    if (pass->form.prefill) {
        out->run_bytes = pass->rows * x.bytes;
        out->destination = x.prefilled;
        out->destination_index = pass->slots;
        stride(out->destination_stride, 0, 0, x.bytes);
        return;
    }
    out->run_bytes = x.bytes;
    stride(out->source_stride, x.bytes, 0, 0);
    out->destination = x.stored;
    out->destination_index = bus_address(&cache->current[operation->layer * cache->batch]);
    stride(out->destination_stride, (int64_t)cache->x_rows * x.bytes, 0, x.bytes);
}

static void recalled_rows(const struct pass* pass, const struct operation* operation,
                          struct levee_dma_operation* out)
{
    const uint32_t rows = lower_recalled(pass, operation->layer);
    count(out, pass->entries, 1, rows);
    stride(out->destination_stride, (int64_t)rows * out->run_bytes, 0, out->run_bytes);
}

/* Behind the arriving tokens' rows. */
static void recall(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct x_table x =
        x_table(lowering, operation->layer, operation->kind == OPERATION_RECALL_SCALES);
    out->run_bytes = x.bytes;
    out->source = x.stored;
    stride(out->source_stride, (int64_t)cache->x_rows * x.bytes, 0, x.bytes);
    out->destination = x.normed + (uint64_t)pass->entries * x.bytes;
    recalled_rows(pass, operation, out);
}

/* The kept ones of a prefill's keys, values or their scales into their slots. */
static void gather(const struct lowering* lowering, const struct pass* pass,
                   const struct slices* to, uint64_t source, uint64_t destination,
                   const int32_t strides[2], uint32_t bytes, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const int64_t head = (int64_t)cache->prefilled * bytes;
    count(out, 1, to->heads, pass->longest);
    out->run_bytes = bytes;
    out->source = source + (uint64_t)(to->head * head);
    stride(out->source_stride, 0, head, bytes);
    out->source_index = cache->gather + (uint64_t)WORD * to->head * cache->slots;
    out->source_index_stride[1] = (int32_t)(WORD * cache->slots);
    out->source_index_stride[2] = WORD;
    out->destination = destination;
    stride(out->destination_stride, strides[0], strides[1], bytes);
}

static void gather_vectors(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct pass from_prefill = {.form.prefill = true};
    const struct slices from = cache_slices(cache, &from_prefill, operation->layer, 0);
    const struct slices to = cache_slices(cache, pass, operation->layer, operation->part);
    const uint32_t row = lowering->model->header.head_dim * INT16_BYTES;
    const bool keys = operation->kind == OPERATION_GATHER_KEYS;
    gather(lowering, pass, &to, keys ? from.keys : from.values, keys ? to.keys : to.values,
           to.stride, row, out);
}

static void gather_scales(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct pass from_prefill = {.form.prefill = true};
    const struct slices from = cache_slices(cache, &from_prefill, operation->layer, 0);
    const struct slices all = {.entries = 1, .heads = lowering->model->header.kv_heads};
    const bool keys = operation->kind == OPERATION_GATHER_KEY_SCALES;
    const int32_t strides[2] = {0, (int32_t)(WORD * cache->slots)};
    gather(lowering, pass, &all, keys ? from.key_scales : from.value_scales,
           (keys ? cache->key_scales : cache->value_scales) +
               WORD * cache_slot_index(cache, operation->layer, pass->first_entry, 0),
           strides, WORD, out);
}

static void gather_x(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct x_table x =
        x_table(lowering, operation->layer, operation->kind == OPERATION_GATHER_X_SCALES);
    count(out, 1, 1, cache->x_rows);
    out->run_bytes = x.bytes;
    out->source = x.prefilled;
    stride(out->source_stride, 0, 0, x.bytes);
    out->source_index = cache->x_gather;
    out->source_index_stride[2] = WORD;
    out->destination = x.stored + (uint64_t)pass->first_entry * cache->x_rows * x.bytes;
    stride(out->destination_stride, 0, 0, x.bytes);
}

static void fill(struct levee_dma_operation* out, uint64_t at, uint32_t bytes, uint8_t byte)
{
    out->destination = at;
    out->run_bytes = bytes;
    out->fill = byte;
}

/* Before anything is known of any token. */
static void reset(const struct lowering* lowering, const struct operation* operation,
                  struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct rings* rings = &lowering->placement->rings;
    const uint32_t next = cache->table_bytes - (uint32_t)cache_next_of(cache, 0);
    count(out, 1, 1, 1);
    switch (operation->kind) {
    case OPERATION_RESET_TABLES:
        fill(out, cache->tables, shape->layers * cache->table_bytes, 0xFF);
        break;
    case OPERATION_RESET_NEXT:
        fill(out, cache_next_of(cache, cache->tables), next, 0);
        out->count[0] = shape->layers;
        out->destination_stride[0] = cache->table_bytes;
        break;
    case OPERATION_RESET_HOLDERS:
        fill(out, cache->holders, 2 * WORD * shape->layers * cache->batch * cache->x_rows, 0);
        break;
    case OPERATION_RESET_X:
        fill(out, cache->layers[operation->layer].x,
             INT16_BYTES * cache->batch * cache->x_rows * shape->dim, 0);
        break;
    case OPERATION_RESET_X_SCALES:
        fill(out, cache->x_scales, WORD * shape->layers * cache->batch * cache->x_rows, 0);
        break;
    case OPERATION_RESET_REDIRECT:
        fill(out, cache->redirect, WORD * cache->batch * shape->kv_heads * cache->slots, 0xFF);
        break;
    case OPERATION_RESET_RING:
        fill(out, rings->kv.address, rings->kv.bytes, 0);
        out->count[0] = rings->kv.other_half != 0 ? 2 : 1;
        out->destination_stride[0] = (int64_t)rings->kv.other_half;
        break;
    case OPERATION_RESET_RING_VIEWS:
        fill(out, rings->views, rings->vectors / 2, LEVEE_SE_VIEW_HIGH);
        break;
    default:
        fill(out, cache->prefill.importance, 2 * shape->layers * shape->kv_heads * cache->prefilled,
             0);
    }
}

/* Slots that tokens left out would be in. */
static void fill_slots(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct slices slices = cache_slices(cache, pass, operation->layer, operation->part);
    const uint32_t row = lowering->model->header.head_dim * INT16_BYTES;
    const uint32_t slots = pass->fill_to - pass->fill_from;
    count(out, slices.entries, slices.heads, 1);
    if (operation->kind == OPERATION_FILL_VIEWS) {
        fill(out, slices.views + pass->fill_from,
             (pass->fill_to + 1) / 2 - (pass->fill_from + 1) / 2, LEVEE_SE_VIEW_HIGH);
        stride(out->destination_stride, slices.views_stride[0], slices.views_stride[1], 0);
        return;
    }
    const uint64_t at = operation->kind == OPERATION_FILL_KEYS ? slices.keys : slices.values;
    fill(out, at + (uint64_t)pass->fill_from * row, slots * row, 0);
    stride(out->destination_stride, slices.stride[0], slices.stride[1], 0);
}

static void copy(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_dma_operation* out)
{
    const struct cache* cache = &lowering->placement->cache;
    switch (operation->kind) {
    case OPERATION_SNAPSHOT:
        count(out, 1, 1, 1);
        out->run_bytes = cache->table_bytes;
        out->source = tables_of(cache, operation->layer);
        out->destination = cache->snapshot;
        break;
    case OPERATION_KEEP_SLOTS:
        words_of_heads(lowering, pass, out->source_stride, out);
        stride(out->destination_stride, WORD, WORD * cache->batch, 0);
        out->source = cache_next_of(cache, cache->snapshot);
        out->destination = cache->keep;
        break;
    case OPERATION_SKIP_STORED:
        skip_stored(lowering, pass, operation, out);
        break;
    case OPERATION_REDIRECT:
        beside_row = lowering->policy->x_rows;
        redirect(lowering, pass, &beside_row, out);
        break;
    case OPERATION_UNDIRECT:
        redirect(lowering, pass, &none, out);
        break;
    case OPERATION_KEEP_KEY:
    case OPERATION_KEEP_VALUE:
        keep(lowering, pass, operation, out);
        break;
    case OPERATION_KEEP_X:
    case OPERATION_KEEP_X_SCALE:
        keep_x(lowering, pass, operation, out);
        break;
    case OPERATION_RECALL:
    case OPERATION_RECALL_SCALES:
        recall(lowering, pass, operation, out);
        break;
    case OPERATION_GATHER_KEYS:
    case OPERATION_GATHER_VALUES:
        gather_vectors(lowering, pass, operation, out);
        break;
    case OPERATION_GATHER_KEY_SCALES:
    case OPERATION_GATHER_VALUE_SCALES:
        gather_scales(lowering, pass, operation, out);
        break;
    default:
        gather_x(lowering, pass, operation, out);
    }
}

/* Words that say where and how many, unlike keys, values, inputs, their scales and importance. */
static bool is_control(const struct operation* operation)
{
    switch (operation->kind) {
    case OPERATION_SNAPSHOT:
    case OPERATION_KEEP_SLOTS:
    case OPERATION_SKIP_STORED:
    case OPERATION_REDIRECT:
    case OPERATION_UNDIRECT:
    case OPERATION_RESET_TABLES:
    case OPERATION_RESET_NEXT:
    case OPERATION_RESET_HOLDERS:
    case OPERATION_RESET_REDIRECT:
    case OPERATION_RESET_RING_VIEWS:
    case OPERATION_FILL_VIEWS:
        return true;
    default:
        return false;
    }
}

void lower_dma(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_dma_operation* out = dma_operation(descriptor);
    const bool fills =
        operation->kind >= OPERATION_RESET_TABLES && operation->kind <= OPERATION_FILL_VIEWS;
    descriptor->opcode = fills ? LEVEE_DMA_FILL : LEVEE_DMA_COPY;
    out->flags = is_control(operation) ? LEVEE_DMA_CONTROL : 0;
    if (operation->kind >= OPERATION_FILL_KEYS && operation->kind <= OPERATION_FILL_VIEWS)
        fill_slots(lowering, pass, operation, out);
    else if (fills)
        reset(lowering, operation, out);
    else
        copy(lowering, pass, operation, out);
}

void lower_dma_recalled(const struct pass* pass, const struct operation* operation,
                        struct levee_descriptor* descriptor)
{
    recalled_rows(pass, operation, dma_operation(descriptor));
}
