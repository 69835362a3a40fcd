// SPDX-License-Identifier: Apache-2.0
/* Which slots attention reads, and their scales one after another. */
#include "firmware/drivers/cam.h"
#include "firmware/target/retrieval.h"
#include "firmware/target/systolic/dma_copy.h"
#include "firmware/target/systolic/lower.h"

#include <stddef.h>

static const struct retrieval_elements elements = {LEVEE_TYPE_INT16, INT16_BYTES};

void lower_write_proxies(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    retrieval_lower_write(lowering, pass, operation, &elements, descriptor);
}

void lower_search(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    retrieval_lower_search(lowering, pass, operation, &elements, descriptor);
}

/* The list grows with the cache; what reads by it where there are no tables has to know, too. */
void patch_search(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    struct systolic_part* part =
        &lower_machine(lowering)->layers[operation->layer].parts[slices.index];
    part->redirect[0].common = part->redirect[1].common = (uint16_t)pass->longest_listed;
    cam_operation(descriptor)->width = pass->longest_listed;
}

void lower_list_scales(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t heads = lowering->model->header.kv_heads;
    const uint32_t first = pass->shape.first_entry;
    const int64_t head = (int64_t)WORD_BYTES * cache->listing.width;
    const int64_t from = (int64_t)WORD_BYTES * cache->slots;
    const bool keys = operation->kind == OPERATION_LIST_KEY_SCALES;
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    out->run_bytes = WORD_BYTES;
    const struct slices found = lower_slices(lowering, pass, operation);
    out->source = keys ? found.key_scales : found.value_scales;
    if (cache->compressed == NULL) /* of all parts */
        out->source = (keys ? cache->key_scales : cache->value_scales) +
                      WORD_BYTES * cache_slot_index(cache, operation->layer, first, 0);
    dma_stride(out->source_stride, heads * from, from, WORD_BYTES);
    out->source_index = cache->listing.slots + (uint64_t)(first * heads * head);
    out->source_index_stride[0] = (int32_t)(heads * head);
    out->source_index_stride[1] = (int32_t)head;
    out->source_index_stride[2] = WORD_BYTES;
    out->destination = (keys ? cache->listing.key_scales : cache->listing.value_scales) +
                       (uint64_t)(first * heads * head);
    dma_stride(out->destination_stride, heads * head, head, WORD_BYTES);
    dma_count(out, pass->shape.entries, heads, pass->longest_listed);
}

void patch_list_scales(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    dma_operation(descriptor)->count[2] = pass->longest_listed;
}
