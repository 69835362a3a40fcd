// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/system.h"
#include "firmware/target/slots/dma_copy.h"
#include "firmware/target/slots/lower.h"

/* A layer's stored inputs or their scales, in rows of `bytes`. */
struct input_table {
    uint64_t stored, prefilled, normed;
    uint32_t bytes;
};

static struct input_table table_of(const struct lowering* lowering, uint32_t layer, bool scales)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct stored_inputs* inputs = cache->inputs;
    const struct operand* normed = &lowering->values[VALUE_NORMED];
    const uint64_t entry = (uint64_t)layer * cache->batch;
    const uint64_t token = (uint64_t)layer * cache->prefilled;
    const uint32_t row = lowering->model->header.dim * INT16_BYTES;
    if (scales)
        return (struct input_table){inputs->scales + WORD_BYTES * entry * cache->input_rows,
                                    inputs->prefill_scales + WORD_BYTES * token, normed->scale,
                                    WORD_BYTES};
    return (struct input_table){inputs->rows[layer], inputs->prefill_rows + row * token,
                                normed->data, row};
}

/* Stores inputs. In a prefill their rows are numbered by position. Otherwise each entry's input
 * goes to the row that the evictor has assigned. */
void lower_store_input(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct input_table table =
        table_of(lowering, operation->layer, operation->kind == OPERATION_STORE_INPUT_SCALE);
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    dma_count(out, pass->shape.entries, 1, 1);
    out->source = table.normed;
    out->destination_index_stride[0] = WORD_BYTES;
    if (pass->shape.form.prefill) {
        out->run_bytes = pass->shape.rows * table.bytes;
        out->destination = table.prefilled;
        out->destination_index = pass->slots;
        dma_stride(out->destination_stride, 0, 0, table.bytes);
        return;
    }
    out->run_bytes = table.bytes;
    dma_stride(out->source_stride, table.bytes, 0, 0);
    out->destination = table.stored;
    out->destination_index = bus_address(&cache->inputs->current[operation->layer * cache->batch]);
    dma_stride(out->destination_stride, (int64_t)cache->input_rows * table.bytes, 0, table.bytes);
}

void patch_fetch_inputs(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering;
    struct levee_dma_operation* out = dma_operation(descriptor);
    const uint32_t rows = lower_recomputed(pass, operation->layer);
    dma_count(out, pass->shape.entries, 1, rows);
    dma_stride(out->destination_stride, (int64_t)rows * out->run_bytes, 0, out->run_bytes);
}

/* Copies the fetched inputs to the rows after those of the arriving tokens. */
void lower_fetch_inputs(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct input_table table =
        table_of(lowering, operation->layer, operation->kind == OPERATION_FETCH_INPUT_SCALES);
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    out->run_bytes = table.bytes;
    out->source = table.stored;
    dma_stride(out->source_stride, (int64_t)cache->input_rows * table.bytes, 0, table.bytes);
    out->destination = table.normed + (uint64_t)pass->shape.entries * table.bytes;
    patch_fetch_inputs(lowering, pass, operation, descriptor);
}

void lower_gather_inputs(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct input_table table =
        table_of(lowering, operation->layer, operation->kind == OPERATION_GATHER_INPUT_SCALES);
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    dma_count(out, 1, 1, cache->input_rows);
    out->run_bytes = table.bytes;
    out->source = table.prefilled;
    dma_stride(out->source_stride, 0, 0, table.bytes);
    out->source_index = cache->inputs->gather;
    out->source_index_stride[2] = WORD_BYTES;
    out->destination =
        table.stored + (uint64_t)pass->shape.first_entry * cache->input_rows * table.bytes;
    dma_stride(out->destination_stride, 0, 0, table.bytes);
}

/* Returns the number of rows of stored inputs in all layers and entries. */
static uint32_t all_rows(const struct lowering* lowering)
{
    const struct cache* cache = &lowering->placement->cache;
    return lowering->model->header.layers * cache->batch * cache->input_rows;
}

void lower_reset_holders(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    (void)dma_fill(descriptor, true, lowering->placement->cache.inputs->holders,
                   2 * WORD_BYTES * all_rows(lowering), 0);
}

void lower_reset_inputs(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass;
    const struct cache* cache = &lowering->placement->cache;
    (void)dma_fill(descriptor, false, cache->inputs->rows[operation->layer],
                   INT16_BYTES * cache->batch * cache->input_rows * lowering->model->header.dim, 0);
}

void lower_reset_input_scales(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation,
                              struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    (void)dma_fill(descriptor, false, lowering->placement->cache.inputs->scales,
                   WORD_BYTES * all_rows(lowering), 0);
}
