// SPDX-License-Identifier: Apache-2.0
/* Descriptors of a compression block, for a cache of compressed rows (cache/compressed.h). Keys
 * and values are INT16 vectors with one scale each. */
#include "firmware/target/lower.h"

#include "firmware/cache/compressed.h"
#include "firmware/drivers/cpq.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

#define WORD 4u
#define RECORD ((uint32_t)sizeof(struct levee_cpq_record))

/* Ends the run if the block's scale-zero buffer is too small for the tables of all layers. */
static void check(const struct machine* machine, const struct placement* placement)
{
    (void)machine;
    const struct cache* cache = &placement->cache;
    const struct levee_model_header* shape = &cache->model->header;
    const uint64_t room = cpq_sz_bytes();
    const uint64_t needed =
        2ull * shape->layers * cache->batch *
        LEVEE_CPQ_TABLE_BYTES(shape->kv_heads * shape->head_dim, system_info()->cpq.max_levels);
    if (room == 0 || needed <= room)
        return;
    fatal(EXIT_REFUSED,
          "kv_cache.policy is cpq: scales and zeros of all layers take %llu bytes; the scale-zero "
          "buffer of the compression block has %llu",
          (unsigned long long)needed, (unsigned long long)room);
}

/* Returns the number of a table in the scale-zero buffer. Tables of keys have even numbers, and
 * those of values have odd ones. */
static uint32_t table_of(const struct cache* cache, uint32_t layer, uint32_t entry, unsigned kind)
{
    return 2 * (layer * cache->batch + entry) + kind;
}

static float threshold_of(unsigned kind, uint32_t layer)
{
    const struct levee_kv_cpq* cpq = &system_info()->cpq;
    if (kind == COMPRESSED_KEYS)
        return cpq->key_threshold[cpq->key_layers == 1 ? 0 : layer];
    return cpq->value_threshold[cpq->value_layers == 1 ? 0 : layer];
}

static struct levee_cpq_operation* shape_of(const struct cache* cache,
                                            struct levee_descriptor* descriptor)
{
    struct levee_cpq_operation* out = cpq_operation(descriptor);
    out->vectors = (uint16_t)cache->model->header.kv_heads;
    out->vector = (uint16_t)cache->model->header.head_dim;
    out->max_levels = (uint8_t)system_info()->cpq.max_levels;
    return out;
}

/* Fills in the fields that are common to all operations on rows of a layer. */
static struct levee_cpq_operation* rows_of(const struct cache* cache, const struct pass* pass,
                                           uint32_t layer, unsigned kind,
                                           struct levee_descriptor* descriptor)
{
    const struct compressed* compressed = cache->compressed;
    const struct levee_kv_cpq* cpq = &system_info()->cpq;
    const uint32_t entry = pass->shape.first_entry;
    const uint64_t first = ((uint64_t)layer * cache->batch + entry) * cache->slots;
    struct levee_cpq_operation* out = shape_of(cache, descriptor);
    out->outer = (uint16_t)pass->shape.entries;
    out->type = LEVEE_TYPE_INT16;
    out->packed = compressed->packed[kind] + first * compressed->row_bytes[kind];
    out->packed_stride[1] = (int32_t)compressed->row_bytes[kind];
    out->packed_stride[0] = (int32_t)(cache->slots * compressed->row_bytes[kind]);
    out->records = compressed->records[kind] + first * RECORD;
    out->records_stride = (int32_t)(cache->slots * RECORD);
    out->bits = (uint8_t)(kind == COMPRESSED_KEYS ? cpq->key_bits : cpq->value_bits);
    out->table = table_of(cache, layer, entry, kind);
    out->table_step = 2;
    out->threshold = threshold_of(kind, layer);
    out->tolerance = cpq->tolerance;
    return out;
}

static void set_data(const struct cache* cache, const struct slices* slices, unsigned kind,
                     struct levee_cpq_operation* out)
{
    const bool keys = kind == COMPRESSED_KEYS;
    out->data = keys ? slices->keys : slices->values;
    out->data_stride[0] = slices->stride[0];
    out->data_stride[1] = (int32_t)(cache->vector_bytes);
    out->data_stride[2] = slices->stride[1];
    out->scale = keys ? slices->key_scales : slices->value_scales;
    out->scale_stride[0] = slices->scale_stride[0];
    out->scale_stride[1] = WORD;
    out->scale_stride[2] = slices->scale_stride[1];
}

static void lower_expand(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const unsigned kind =
        operation->kind == OPERATION_EXPAND_KEYS ? COMPRESSED_KEYS : COMPRESSED_VALUES;
    const struct slices slices = compressed_slices(cache, pass);
    struct levee_cpq_operation* out = rows_of(cache, pass, operation->layer, kind, descriptor);
    descriptor->opcode = LEVEE_CPQ_EXPAND;
    set_data(cache, &slices, kind, out);
    out->lengths = pass->lengths;
    out->lengths_stride = WORD;
    out->length_less = pass->shape.rows;
    out->rows = cache->slots;
    if (pass->shape.form.indexed) {
        out->lengths = pass->written;
        out->length_less = 0;
    } else if (pass->shape.form.listed) {
        const uint32_t entry = pass->shape.first_entry;
        out->slots = cache->listing.any + (uint64_t)WORD * entry * cache->slots;
        out->slots_stride = (int32_t)(WORD * cache->slots);
        out->lengths = cache->listing.any_count + WORD * entry;
        out->length_less = 0;
    }
}

static void lower_compress(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const unsigned kind =
        operation->kind == OPERATION_COMPRESS_KEYS ? COMPRESSED_KEYS : COMPRESSED_VALUES;
    const struct slices slices = compressed_slices(cache, pass);
    struct levee_cpq_operation* out = rows_of(cache, pass, operation->layer, kind, descriptor);
    descriptor->opcode = LEVEE_CPQ_COMPRESS;
    set_data(cache, &slices, kind, out);
    const struct slot_words slots = lower_slots(lowering, pass, &slices);
    out->slots = slots.address;
    out->slots_stride = slots.stride[0];
    out->rows = pass->shape.rows;
}

static void lower_prefill(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const unsigned kind =
        operation->kind == OPERATION_COMPRESS_PREFILL_KEYS ? COMPRESSED_KEYS : COMPRESSED_VALUES;
    const bool gathered = lowering->policy->evicts;
    const struct slices slices = gathered ? compressed_slices(cache, pass)
                                          : cache_prefill_slices(cache, operation->layer, 0);
    struct levee_cpq_operation* out = rows_of(cache, pass, operation->layer, kind, descriptor);
    descriptor->opcode = LEVEE_CPQ_COMPRESS;
    set_data(cache, &slices, kind, out);
    out->flags = LEVEE_CPQ_OPEN;
    out->rows = pass->longest;
    if (gathered)
        return;
    out->lengths = pass->lengths;
    out->lengths_stride = WORD;
    out->rows = cache->prefilled;
}

static void lower_reset(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    struct levee_cpq_operation* out = shape_of(cache, descriptor);
    (void)pass;
    descriptor->opcode = LEVEE_CPQ_RESET;
    out->table = table_of(cache, operation->layer, 0, COMPRESSED_KEYS);
    out->table_step = 1;
    out->outer = (uint16_t)(2 * cache->batch);
}

static bool serves(const struct machine* machine, const struct policy* policy)
{
    const struct machine_part* attention = machine_attention(machine);
    return policy->compresses && (attention->unpacks == NULL || !attention->unpacks(policy));
}

static const struct unit_class class_cpq = {.type = LEVEE_BLOCK_CPQ, .name = "compression block"};

static const struct part_row rows[] = {
    {OPERATION_EXPAND_KEYS, {.unit = &class_cpq, .lower = lower_expand}},
    {OPERATION_EXPAND_VALUES, {.unit = &class_cpq, .lower = lower_expand}},
    {OPERATION_COMPRESS_KEYS, {.unit = &class_cpq, .lower = lower_compress}},
    {OPERATION_COMPRESS_VALUES, {.unit = &class_cpq, .lower = lower_compress}},
    {OPERATION_COMPRESS_PREFILL_KEYS, {.unit = &class_cpq, .lower = lower_prefill}},
    {OPERATION_COMPRESS_PREFILL_VALUES, {.unit = &class_cpq, .lower = lower_prefill}},
    {OPERATION_RESET_LEVELS, {.unit = &class_cpq, .lower = lower_reset}},
};

const struct machine_part part_cpq = {
    .name = "cpq",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
    .open = check,
};
