// SPDX-License-Identifier: Apache-2.0
/* A cache of compressed rows (cache/compressed.h) on the compute-in-memory cores. The operation
 * LAYER reads and writes packed rows, and COMPRESS packs a prompt's vectors. If the system has a
 * compression block, that block packs rows, and the cores use uncompressed vectors. */
#include "firmware/cache/compressed.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/titanus/lower.h"
#include "ip/cpq/regs.h"

#include <stddef.h>

bool titanus_unpacks(const struct policy* policy)
{
    return policy->compresses && system_block(LEVEE_BLOCK_CPQ) == NULL;
}

static void check_packing(const struct cache* cache)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_CIM);
    const struct levee_model_header* shape = &cache->model->header;
    const uint64_t room = (uint64_t)cim_register(block, LEVEE_CIM_SCALE_BYTES_HI) << 32 |
                          cim_register(block, LEVEE_CIM_SCALE_BYTES);
    const uint64_t needed =
        (uint64_t)COMPRESSED_KINDS * cache->batch *
        LEVEE_CPQ_TABLE_BYTES(shape->kv_heads * shape->head_dim, system_info()->cpq.max_levels);
    if (cim_register(block, LEVEE_CIM_PACKS) == 0)
        fatal(EXIT_REFUSED, "kv_cache.policy is cpq: the cores' compression depends on data, which "
                            "this run does not have; expected data: functional, decisions of a "
                            "recorded run, the cores' 'expected', or kv_cache.policy full with "
                            "measured values under the cores' 'compression'");
    if (needed > room)
        fatal(EXIT_REFUSED,
              "kv_cache.policy is cpq: scales and zeros of a layer take %llu bytes; a core has a "
              "'scale_buffer' of %llu",
              (unsigned long long)needed, (unsigned long long)room);
}

struct levee_cim_packed* titanus_describe_packed(const struct cache* cache)
{
    const struct levee_kv_cpq* cpq = &system_info()->cpq;
    const struct compressed* compressed = cache->compressed;
    const uint32_t layers = cache->model->header.layers;
    check_packing(cache);
    struct levee_cim_packed* out = heap_take(sizeof *out, "compressed rows");
    float* thresholds = heap_take(layers * COMPRESSED_KINDS * sizeof *thresholds, "thresholds");
    for (uint32_t i = 0; i < layers; ++i) {
        thresholds[COMPRESSED_KINDS * i + COMPRESSED_KEYS] =
            cpq->key_threshold[cpq->key_layers == 1 ? 0 : i];
        thresholds[COMPRESSED_KINDS * i + COMPRESSED_VALUES] =
            cpq->value_threshold[cpq->value_layers == 1 ? 0 : i];
    }
    for (unsigned kind = 0; kind < COMPRESSED_KINDS; ++kind) {
        out->rows[kind] = compressed->packed[kind];
        out->row_bytes[kind] = compressed->row_bytes[kind];
        out->records[kind] = compressed->records[kind];
        out->entry_step[kind] = (uint64_t)cache->slots * compressed->row_bytes[kind];
        out->layer_step[kind] = cache->batch * out->entry_step[kind];
    }
    out->bits[COMPRESSED_KEYS] = cpq->key_bits;
    out->bits[COMPRESSED_VALUES] = cpq->value_bits;
    out->thresholds = bus_address(thresholds);
    out->max_levels = cpq->max_levels;
    out->tolerance = cpq->tolerance;
    return out;
}

/* Describes the compression of a layer's keys and values together. */
static void lower_prompt(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_cim_operation* out = cim_operation(descriptor);
    const struct titanus* machine = &cores;
    const struct slices slices =
        cache_prefill_slices(&lowering->placement->cache, operation->layer, 0);
    descriptor->opcode = LEVEE_CIM_COMPRESS;
    titanus_set_vectors(&slices, out);
    out->model = bus_address(machine->model);
    out->packed = bus_address(machine->packed);
    out->lengths = pass->lengths;
    out->entries = pass->shape.entries;
    out->first_entry = pass->shape.first_entry;
    out->rows = 1;
    out->layer = operation->layer;
    out->layers = 1;
}

static bool serves(const struct machine* machine, const struct policy* policy)
{
    return machine_has(machine, &part_cim_layers) && titanus_unpacks(policy);
}

static const struct part_row rows[] = {
    {OPERATION_EXPAND_KEYS, {.left_out = true}},
    {OPERATION_EXPAND_VALUES, {.left_out = true}},
    {OPERATION_COMPRESS_KEYS, {.left_out = true}},
    {OPERATION_COMPRESS_VALUES, {.left_out = true}},
    {OPERATION_COMPRESS_PREFILL_KEYS, {.unit = &class_cores, .lower = lower_prompt}},
    {OPERATION_COMPRESS_PREFILL_VALUES, {.left_out = true}},
    {OPERATION_RESET_LEVELS, {.left_out = true}},
};

const struct machine_part part_cim_packing = {
    .name = "cim_packing",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
};
