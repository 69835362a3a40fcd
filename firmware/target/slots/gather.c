// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/slots/dma_copy.h"
#include "firmware/target/slots/lower.h"

/* What is gathered: elements, or their scales, `bytes` a token. */
struct gathering {
    uint64_t source, destination;
    const int32_t* strides; /* of the destination: entry, head */
    uint32_t bytes;
};

/* The kept ones of a prefill's keys, values or their scales into their slots. */
static void gather(const struct lowering* lowering, const struct pass* pass,
                   const struct slices* to, const struct gathering* what,
                   struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const int64_t head = (int64_t)cache->prefilled * what->bytes;
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    dma_count(out, 1, to->heads, pass->longest);
    out->run_bytes = what->bytes;
    out->source = what->source + (uint64_t)(to->head * head);
    dma_stride(out->source_stride, 0, head, what->bytes);
    out->source_index = cache->gather + (uint64_t)WORD_BYTES * to->head * cache->slots;
    out->source_index_stride[1] = (int32_t)(WORD_BYTES * cache->slots);
    out->source_index_stride[2] = WORD_BYTES;
    out->destination = what->destination;
    dma_stride(out->destination_stride, what->strides[0], what->strides[1], what->bytes);
}

void lower_gather_vectors(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices from = cache_prefill_slices(&lowering->placement->cache, operation->layer);
    const struct slices to = lower_slices(lowering, pass, operation);
    const bool keys = operation->kind == OPERATION_GATHER_KEYS;
    gather(lowering, pass, &to,
           &(struct gathering){keys ? from.keys : from.values, keys ? to.keys : to.values,
                               to.stride, lower_vector_bytes(lowering)},
           descriptor);
}

void lower_gather_scales(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct slices from = cache_prefill_slices(cache, operation->layer);
    const struct slices all = {.entries = 1, .heads = lowering->model->header.kv_heads};
    const bool keys = operation->kind == OPERATION_GATHER_KEY_SCALES;
    const int32_t strides[2] = {0, (int32_t)(WORD_BYTES * cache->slots)};
    const uint64_t first = cache_slot_index(cache, operation->layer, pass->shape.first_entry, 0);
    uint64_t to = (keys ? cache->key_scales : cache->value_scales) + WORD_BYTES * first;
    if (cache->compressed != NULL) { /* the running layer's only */
        const struct slices expanded = lower_slices(lowering, pass, operation);
        to = keys ? expanded.key_scales : expanded.value_scales;
    }
    gather(lowering, pass, &all,
           &(struct gathering){keys ? from.key_scales : from.value_scales, to, strides, WORD_BYTES},
           descriptor);
}
