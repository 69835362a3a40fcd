// SPDX-License-Identifier: Apache-2.0
/* Proxies and lists of slots in an associative memory (cache/retrieval.c). The row of a cached
 * token's proxy has the same number as the token's slot, counted over all layers, entries and KV
 * heads. */
#include "firmware/target/lower.h"

#include "firmware/drivers/cam.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/slots/dma_copy.h"
#include "ip/cam/regs.h"

#include <stddef.h>

#define WORD 4u

/* Ends the run if the associative memory is too small for the cache's proxies, or if its rows have
 * too few bits. */
static void check(const struct machine* machine, const struct placement* placement)
{
    (void)machine;
    const struct cache* cache = &placement->cache;
    const struct levee_kv_retrieval* retrieval = &cache->policy->retrieval;
    const struct levee_model_header* shape = &cache->model->header;
    const struct cam_build build = cam_build();
    if (build.rows == 0)
        return; /* the system has no associative memory, which the caller reports */
    if (retrieval->bits > build.cell_bits)
        fatal(EXIT_REFUSED,
              "kv_cache.retrieval.bits is %lu; expected at most %lu, the bits of a cell of the cam",
              (unsigned long)retrieval->bits, (unsigned long)build.cell_bits);
    if (shape->head_dim > LEVEE_CAM_MAX_DIMS)
        fatal(EXIT_REFUSED,
              "kv_cache.retrieval: heads of the model have %lu elements; a cam supports at most %u",
              (unsigned long)shape->head_dim, LEVEE_CAM_MAX_DIMS);
    const uint32_t cells = levee_cam_cells(shape->head_dim, retrieval->bits, retrieval->distance);
    const uint64_t needed = cache_table_index(cache, shape->layers, 0, 0);
    const uint64_t rows = cam_rows(&build, cells);
    if (needed > rows)
        fatal(EXIT_REFUSED,
              "kv_cache.retrieval: the cam has %llu rows for proxies of %lu cells; the cache has "
              "%llu slots",
              (unsigned long long)rows, (unsigned long)cells, (unsigned long long)needed);
}

/* Fills in the fields that both operations, writing proxies and searching, have in common. */
static struct levee_cam_operation* open(const struct lowering* lowering, const struct pass* pass,
                                        const struct operation* operation,
                                        const struct slices* slices,
                                        struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct levee_kv_retrieval* retrieval = &lowering->policy->retrieval;
    struct levee_cam_operation* out = cam_operation(descriptor);
    out->outer[0] = (uint16_t)slices->entries;
    out->outer[1] = (uint16_t)slices->heads;
    /* Index of the entry within the batch. The slices of a prefill's own cache have only the index
     * within the pass, so it cannot be taken from them. */
    const uint32_t entry = pass->shape.first_entry + slices->entry;
    out->first_row = (uint32_t)cache_table_index(cache, operation->layer, entry, slices->head);
    out->row_stride[1] = cache->slots;
    out->row_stride[0] = shape->kv_heads * cache->slots;
    out->slice_slots = cache->slots;
    out->n = shape->head_dim;
    out->type = LEVEE_TYPE_INT16;
    out->bits = (uint8_t)retrieval->bits;
    out->distance = (uint8_t)retrieval->distance;
    out->range = retrieval->range;
    return out;
}

static void lower_write_proxies(const struct lowering* lowering, const struct pass* pass,
                                const struct operation* operation,
                                struct levee_descriptor* descriptor)
{
    const struct slices slices =
        cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
    struct levee_cam_operation* out = open(lowering, pass, operation, &slices, descriptor);
    descriptor->opcode = LEVEE_CAM_WRITE;
    out->vectors = slices.keys;
    out->vectors_stride[0] = slices.stride[0];
    out->vectors_stride[1] = slices.stride[1];
    out->vectors_stride[2] = (int32_t)(lowering->model->header.head_dim * INT16_BYTES);
    out->scales = slices.key_scales;
    out->scales_stride[0] = slices.scale_stride[0];
    out->scales_stride[1] = slices.scale_stride[1];
    out->scales_stride[2] = FP32_BYTES;
    if (lowering->policy->evicts && !pass->shape.form.indexed) { /* tokens that are kept from a
                                                                    prefill */
        static const uint32_t first_slot = 0;
        out->slots = bus_address(&first_slot);
        out->rows = (uint16_t)pass->longest;
        return;
    }
    const struct slot_words slots = lower_slots(lowering, pass, &slices);
    out->slots = slots.address;
    out->slots_stride[0] = slots.stride[0];
    out->slots_stride[1] = slots.stride[1];
    out->rows = (uint16_t)pass->shape.rows;
}

static void lower_search(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct slices slices = cache_slices(cache, pass, operation->layer, operation->part);
    const uint32_t group = shape->heads / shape->kv_heads;
    const uint64_t of_head = (uint64_t)WORD * cache->listing.width;
    struct levee_cam_operation* out = open(lowering, pass, operation, &slices, descriptor);
    descriptor->opcode = LEVEE_CAM_SEARCH;
    out->vectors_stride[2] = (int32_t)(shape->head_dim * INT16_BYTES);
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

/* Sets the lengths of the lists, which grow with the cache. Readers of a list that use no tables
 * also get its length. */
static void patch_search(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    struct layer_part* part = &lowering->common->layers[operation->layer].parts[slices.index];
    part->redirect[0].common = part->redirect[1].common = (uint16_t)pass->longest_listed;
    cam_operation(descriptor)->width = pass->longest_listed;
}

static void lower_list_scales(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation,
                              struct levee_descriptor* descriptor)
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
    if (cache->one_part == NULL) /* the rows of all parts together */
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

static void patch_list_scales(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation,
                              struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    dma_operation(descriptor)->count[2] = pass->longest_listed;
}

static bool serves(const struct machine* machine, const struct policy* policy)
{
    (void)machine;
    return policy->retrieval.bits != 0;
}

static const struct unit_class class_associative = {.type = LEVEE_BLOCK_CAM,
                                                    .name = "content-addressable memory"};

static const struct part_row rows[] = {
    {OPERATION_LIST_KEY_SCALES,
     {.unit = &class_dma, .lower = lower_list_scales, .patch = patch_list_scales}},
    {OPERATION_LIST_VALUE_SCALES,
     {.unit = &class_dma, .lower = lower_list_scales, .patch = patch_list_scales}},
    {OPERATION_WRITE_PROXIES,
     {.unit = &class_associative, .lower = lower_write_proxies, .by_part = lower_by_part}},
    {OPERATION_SEARCH,
     {.unit = &class_associative,
      .lower = lower_search,
      .by_part = lower_by_part,
      .patch = patch_search}},
};

const struct machine_part part_retrieval = {
    .name = "retrieval",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
    .open = check,
};
