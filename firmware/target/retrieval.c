// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/retrieval.h"

#include "firmware/drivers/cam.h"
#include "firmware/hal/fatal.h"
#include "firmware/target/placement.h"

#define WORD 4u
#define FP32_BYTES 4u

bool retrieval_is_used(const struct target* target, const struct lowering* lowering)
{
    (void)target;
    return lowering->policy->retrieval.bits != 0;
}

void retrieval_check(const struct cache* cache)
{
    const struct levee_kv_retrieval* retrieval = &cache->policy->retrieval;
    const struct levee_model_header* shape = &cache->model->header;
    const struct cam_build build = cam_build();
    if (retrieval->bits == 0 || build.rows == 0)
        return; /* nothing is searched, or there is no memory, which is said elsewhere */
    if (retrieval->bits > build.cell_bits)
        fatal(EXIT_REFUSED, "kv_cache.retrieval.bits is %lu; the cells of the cam have %lu",
              (unsigned long)retrieval->bits, (unsigned long)build.cell_bits);
    if (shape->head_dim > LEVEE_CAM_MAX_DIMS)
        fatal(
            EXIT_REFUSED,
            "kv_cache.retrieval: heads of the model have %lu elements; a cam takes %u of a vector",
            (unsigned long)shape->head_dim, LEVEE_CAM_MAX_DIMS);
    const uint32_t cells = levee_cam_cells(shape->head_dim, retrieval->bits, retrieval->distance);
    const uint64_t needed = cache_slot_index(cache, shape->layers, 0, 0);
    const uint64_t rows = cam_rows(&build, cells);
    if (needed > rows)
        fatal(EXIT_REFUSED,
              "kv_cache.retrieval: the cam has %llu rows for proxies of %lu cells; the cache has "
              "%llu slots",
              (unsigned long long)rows, (unsigned long)cells, (unsigned long long)needed);
}

/* What both operations say alike. */
static struct levee_cam_operation* open(const struct lowering* lowering, const struct pass* pass,
                                        const struct operation* operation,
                                        const struct slices* slices,
                                        const struct retrieval_elements* elements,
                                        struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct levee_kv_retrieval* retrieval = &lowering->policy->retrieval;
    struct levee_cam_operation* out = cam_operation(descriptor);
    out->outer[0] = (uint16_t)slices->entries;
    out->outer[1] = (uint16_t)slices->heads;
    /* The batch's entry, also in a prefill's own cache, whose entry is the pass's. */
    const uint32_t entry = pass->shape.first_entry + slices->entry;
    out->first_row = (uint32_t)cache_slot_index(cache, operation->layer, entry, slices->head);
    out->row_stride[1] = cache->slots;
    out->row_stride[0] = shape->kv_heads * cache->slots;
    out->slice_slots = cache->slots;
    out->n = shape->head_dim;
    out->type = elements->type;
    out->bits = (uint8_t)retrieval->bits;
    out->distance = (uint8_t)retrieval->distance;
    out->range = retrieval->range;
    return out;
}

void retrieval_lower_write(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation,
                           const struct retrieval_elements* elements,
                           struct levee_descriptor* descriptor)
{
    const struct slices slices =
        cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
    struct levee_cam_operation* out =
        open(lowering, pass, operation, &slices, elements, descriptor);
    descriptor->opcode = LEVEE_CAM_WRITE;
    out->vectors = slices.keys;
    out->vectors_stride[0] = slices.stride[0];
    out->vectors_stride[1] = slices.stride[1];
    out->vectors_stride[2] = (int32_t)(lowering->model->header.head_dim * elements->bytes);
    out->scales = slices.key_scales;
    out->scales_stride[0] = slices.scale_stride[0];
    out->scales_stride[1] = slices.scale_stride[1];
    out->scales_stride[2] = FP32_BYTES;
    out->slots = pass->slots + WORD * slices.entry;
    out->slots_stride[0] = WORD;
    out->rows = (uint16_t)pass->shape.rows;
}

void retrieval_lower_search(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation,
                            const struct retrieval_elements* elements,
                            struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct slices slices = cache_slices(cache, pass, operation->layer, operation->part);
    const uint32_t group = shape->heads / shape->kv_heads;
    const uint64_t of_head = (uint64_t)WORD * cache->listing.width;
    struct levee_cam_operation* out =
        open(lowering, pass, operation, &slices, elements, descriptor);
    descriptor->opcode = LEVEE_CAM_SEARCH;
    out->vectors_stride[2] = (int32_t)(shape->head_dim * elements->bytes);
    out->vectors_stride[1] = (int32_t)group * out->vectors_stride[2];
    out->vectors_stride[0] = (int32_t)shape->heads * out->vectors_stride[2];
    out->vectors = lowering->values[VALUE_QUERY].data +
                   (uint64_t)slices.entry * (uint32_t)out->vectors_stride[0] +
                   (uint64_t)slices.head * (uint32_t)out->vectors_stride[1];
    out->rows = (uint16_t)group;
    out->merge = (uint8_t)lowering->policy->retrieval.merge;
    out->lengths = pass->lengths + WORD * slices.entry;
    out->counts = pass->listed + WORD * slices.entry;
    out->word_stride = WORD;
    out->list_stride[1] = (int32_t)of_head;
    out->list_stride[0] = (int32_t)(shape->kv_heads * of_head);
    out->list =
        cache->listing.slots + (slices.batch_entry * shape->kv_heads + slices.head) * of_head;
    out->width = pass->longest_listed;
    if (cache->listing.any == 0)
        return;
    out->any = cache->listing.any + (uint64_t)WORD * slices.batch_entry * cache->slots;
    out->any_stride = (int32_t)(WORD * cache->slots);
    out->any_count = cache->listing.any_count + WORD * slices.batch_entry;
    out->any_count_stride = WORD;
    out->any_less = pass->shape.rows;
}
