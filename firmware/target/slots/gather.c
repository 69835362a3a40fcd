// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/slots/dma_copy.h"
#include "firmware/target/slots/lower.h"

/* The data to gather: elements or scales, with `bytes` per token. */
struct gathering {
    uint64_t source, destination;
    const int32_t* strides; /* strides of the destination: entry, head */
    uint32_t bytes;
    bool chosen; /* a table lists the rows; otherwise the pass's rows are gathered in order */
};

/* Gathers the kept keys, values or scales of a prefill into their slots. */
static void gather(const struct lowering* lowering, const struct pass* pass,
                   const struct slices* to, const struct gathering* what,
                   struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const int64_t head = (int64_t)cache->prefilled * what->bytes;
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    out->source = what->source + (uint64_t)(to->head * head);
    out->destination = what->destination;
    dma_stride(out->source_stride, 0, head, what->bytes);
    dma_stride(out->destination_stride, what->strides[0], what->strides[1], what->bytes);
    if (!what->chosen) {
        dma_count(out, 1, to->heads, 1);
        out->run_bytes = pass->longest * what->bytes;
        return;
    }
    dma_count(out, 1, to->heads, pass->longest);
    out->run_bytes = what->bytes;
    out->source_index = cache->gather + (uint64_t)WORD_BYTES * to->head * cache->slots;
    out->source_index_stride[1] = (int32_t)(WORD_BYTES * cache->slots);
    out->source_index_stride[2] = WORD_BYTES;
}

/* Returns the layer's part of the prefill's own cache, beginning with the first token that may be
 * kept. */
static struct slices prefilled(const struct lowering* lowering, const struct pass* pass,
                               uint32_t layer)
{
    return cache_prefill_slices(&lowering->placement->cache, layer, pass->shape.start);
}

void lower_gather_vectors(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices from = prefilled(lowering, pass, operation->layer);
    const struct cache* cache = &lowering->placement->cache;
    const struct slices to = pass->shape.form.prefill
                                 ? cache_prefill_slices(cache, operation->layer, 0)
                                 : lower_slices(lowering, pass, operation);
    const bool local = cache->layers[operation->layer].local;
    const bool keys = operation->kind == OPERATION_GATHER_KEYS;
    gather(lowering, pass, &to,
           &(struct gathering){keys ? from.keys : from.values, keys ? to.keys : to.values,
                               to.stride, lower_vector_bytes(lowering), !local},
           descriptor);
}

/* Returns where gathered scales go: in a prefill, to the start of the prefill's own cache; with
 * cpq, to the buffer of expanded rows that all layers share; otherwise, to the layer's slots. */
static struct slices destination(const struct lowering* lowering, const struct pass* pass,
                                 const struct operation* operation)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t layer = operation->layer;
    if (pass->shape.form.prefill)
        return cache_prefill_slices(cache, layer, 0);
    if (cache->one_part != NULL)
        return lower_slices(lowering, pass, operation);
    const uint64_t first = WORD_BYTES * cache_slot_index(cache, layer, pass->shape.first_entry, 0);
    return (struct slices){
        .key_scales = cache->key_scales + first,
        .value_scales = cache->value_scales + first,
        .scale_stride = {0, (int32_t)(WORD_BYTES * cache->layers[layer].slots)},
    };
}

void lower_gather_scales(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices from = prefilled(lowering, pass, operation->layer);
    const struct slices all = {.entries = 1, .heads = lowering->model->header.kv_heads};
    const struct slices to = destination(lowering, pass, operation);
    const int32_t strides[2] = {0, to.scale_stride[1]};
    const bool keys = operation->kind == OPERATION_GATHER_KEY_SCALES;
    gather(lowering, pass, &all,
           &(struct gathering){keys ? from.key_scales : from.value_scales,
                               keys ? to.key_scales : to.value_scales, strides, WORD_BYTES,
                               !lowering->placement->cache.layers[operation->layer].local},
           descriptor);
}
