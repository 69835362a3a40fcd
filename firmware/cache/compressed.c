// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/compressed.h"

#include "firmware/cache/hooks.h"
#include "firmware/cache/operations.h"
#include "firmware/cache/tables.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "ip/cpq/rows.h"

#include <stddef.h>

#define WORD 4u

static uint32_t label_bits(uint32_t levels)
{
    uint32_t bits = 0;
    while ((1u << bits) < levels)
        ++bits;
    return bits;
}

static uint32_t channels_of(const struct cache* cache)
{
    return cache->model->header.kv_heads * cache->model->header.head_dim;
}

static void check_layers(const struct cache* cache, uint32_t given, const char* what)
{
    const uint32_t layers = cache->model->header.layers;
    if (given != 1 && given != layers)
        fatal(EXIT_REFUSED,
              "kv_cache.cpq.%s has %lu thresholds; expected one, or one for each of the model's "
              "%lu layers",
              what, (unsigned long)given, (unsigned long)layers);
}

/* Returns the memory for packed rows. A memory divided into halves refreshes the two bytes of an
 * element separately, so packed rows cannot use it. */
static const struct levee_memory_info* memory_for(struct cache* cache, const struct space* space,
                                                  uint64_t bytes, store_describe* describe)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        struct store store;
        if ((info->memories[i].roles & LEVEE_ROLE_KV) == 0)
            continue;
        describe(&info->memories[i], &store);
        if (store.values != 0 || space_room(space, &info->memories[i]) < bytes)
            continue;
        cache->refreshed |= (store.refreshed ? 1u : 0u) << i;
        return &info->memories[i];
    }
    return space_find(space, LEVEE_ROLE_SPILL, LEVEE_ROLE_SPILL, bytes, "compressed rows");
}

static void place_rows(struct cache* cache, struct space* space, store_describe* describe,
                       unsigned kind)
{
    struct compressed* compressed = cache->compressed;
    const struct levee_kv_cpq* cpq = &system_info()->cpq;
    const uint64_t rows = (uint64_t)cache->model->header.layers * cache->batch * cache->slots;
    const uint32_t bits = kind == COMPRESSED_KEYS ? cpq->key_bits : cpq->value_bits;
    compressed->row_bytes[kind] =
        LEVEE_CPQ_ROW_BYTES(channels_of(cache), bits, label_bits(cpq->max_levels));
    const uint64_t bytes = rows * compressed->row_bytes[kind];
    compressed->packed[kind] =
        space_take(space, memory_for(cache, space, space_rounded(bytes), describe), bytes);
    compressed->records[kind] =
        cache_place_state(space, rows * sizeof(struct levee_cpq_record), "records of rows");
}

static void place_expanded(struct cache* cache, struct space* space, unsigned kind)
{
    struct compressed* compressed = cache->compressed;
    const uint64_t vectors = (uint64_t)cache->batch * cache->model->header.kv_heads * cache->slots;
    const uint64_t bytes = vectors * cache->vector_bytes;
    const char* what = kind == COMPRESSED_KEYS ? "expanded keys" : "expanded values";
    compressed->expanded[kind] = space_take(
        space,
        space_find(space, LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_SPILL, space_rounded(bytes), what),
        bytes);
    if (cache->scaled)
        compressed->scales[kind] = cache_place_state(space, WORD * vectors, what);
}

/* Places packed rows in undivided memories with the role kv, or in the spill memory. Expanded rows
 * are on chip if they fit there. */
static void place_slices(struct cache* cache, struct space* space, store_describe* describe)
{
    if (cache->batch > UINT16_MAX / COMPRESSED_KINDS) /* An operation counts the tables of a
                                                       * layer in 16 bits. */
        fatal(EXIT_REFUSED, "workload.batch is %lu; expected at most %lu for kv_cache.policy cpq",
              (unsigned long)cache->batch, (unsigned long)(UINT16_MAX / COMPRESSED_KINDS));
    cache->compressed = heap_take(sizeof *cache->compressed, "compressed rows");
    cache->one_part = compressed_slices;
    check_layers(cache, system_info()->cpq.key_layers, "key_threshold");
    check_layers(cache, system_info()->cpq.value_layers, "value_threshold");
    for (unsigned kind = 0; kind < COMPRESSED_KINDS; ++kind)
        place_rows(cache, space, describe, kind);
    for (unsigned kind = 0; kind < COMPRESSED_KINDS; ++kind)
        place_expanded(cache, space, kind);
}

struct slices compressed_slices(const struct cache* cache, const struct pass* pass)
{
    const struct compressed* compressed = cache->compressed;
    const struct levee_model_header* shape = &cache->model->header;
    const uint32_t entry = pass->shape.first_entry;
    const uint64_t first = (uint64_t)entry * shape->kv_heads * cache->slots;
    const uint64_t token = (uint64_t)cache->vector_bytes;
    return (struct slices){
        .entries = pass->shape.entries,
        .heads = shape->kv_heads,
        .batch_entry = entry,
        .slots = cache->slots,
        .keys = compressed->expanded[COMPRESSED_KEYS] + first * token,
        .values = compressed->expanded[COMPRESSED_VALUES] + first * token,
        .key_scales = compressed->scales[COMPRESSED_KEYS] + WORD * first,
        .value_scales = compressed->scales[COMPRESSED_VALUES] + WORD * first,
        .stride = {(int32_t)(shape->kv_heads * cache->slots * token),
                   (int32_t)(cache->slots * token)},
        .scale_stride = {(int32_t)(WORD * shape->kv_heads * cache->slots),
                         (int32_t)(WORD * cache->slots)},
    };
}

static void open_form(const struct cache* cache, struct cache_form* prefill,
                      struct cache_form* decode)
{
    (void)cache, (void)decode;
    prefill->prefill = true;
}

static void place(struct cache* cache, struct space* space)
{
    (void)cache, (void)space; /* All data of this cache are in its slices. */
}

/* Places the prefill's own cache, unless a policy that evicts has already done so. */
static void place_prefill(struct cache* cache, struct space* space)
{
    if (cache->policy->evicts)
        return;
    const struct levee_model_header* shape = &cache->model->header;
    const uint64_t vectors = (uint64_t)shape->layers * cache->prefilled * shape->kv_heads;
    const uint64_t bytes = cache->vector_bytes * vectors;
    struct prefill_cache* prefill = &cache->prefill;
    prefill->keys = cache_place_spill(space, bytes, "prefilled keys");
    prefill->values = cache_place_spill(space, bytes, "prefilled values");
    if (!cache->scaled)
        return;
    prefill->key_scales = cache_place_spill(space, WORD * vectors, "prefilled keys");
    prefill->value_scales = cache_place_spill(space, WORD * vectors, "prefilled values");
}

static void arrive(const struct cache_step* step, struct operation_list* list)
{
    const struct cache_form* form = &step->pass->shape.form;
    const bool by_list = form->listed && !step->cache->policy->evicts;
    if (form->prefill || by_list)
        return; /* listed tokens are gathered later */
    cache_put(step, list,
              (struct operation){
                  .kind = OPERATION_EXPAND_KEYS, .reads = {VALUE_PACKED}, .writes = VALUE_KEYS});
    cache_put(step, list,
              (struct operation){.kind = OPERATION_EXPAND_VALUES,
                                 .reads = {VALUE_PACKED},
                                 .writes = VALUE_VALUES});
}

static void store(const struct cache_step* step, const struct operation* stored,
                  struct operation_list* list)
{
    const bool keys = stored->kind == OPERATION_STORE_KEY;
    if (step->pass->shape.form.prefill)
        return;
    cache_put(step, list,
              (struct operation){
                  .kind = keys ? OPERATION_COMPRESS_KEYS : OPERATION_COMPRESS_VALUES,
                  .reads = {keys ? VALUE_KEYS : VALUE_VALUES},
                  .writes = VALUE_PACKED,
                  .also_reads = step->pass->shape.form.indexed ? VALUE_BIT(VALUE_SNAPSHOT) : 0});
}

static void new_batch_layer(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_RESET_LEVELS, .writes = VALUE_PACKED});
}

/* Compresses a prefill's whole cache, or the tokens that were gathered from it. */
static void compress_prefill(const struct cache_step* step, struct operation_list* list)
{
    cache_put(step, list,
              (struct operation){.kind = OPERATION_COMPRESS_PREFILL_KEYS,
                                 .reads = {VALUE_KEYS},
                                 .writes = VALUE_PACKED});
    cache_put(step, list,
              (struct operation){.kind = OPERATION_COMPRESS_PREFILL_VALUES,
                                 .reads = {VALUE_VALUES},
                                 .writes = VALUE_PACKED});
}

static void select_all(const struct cache_step* step, struct operation_list* list)
{
    if (!step->cache->policy->evicts)
        compress_prefill(step, list);
}

static void gather(const struct cache_step* step, struct operation_list* list)
{
    if (step->cache->policy->evicts)
        compress_prefill(step, list);
}

const struct cache_hooks compressed_hooks = {
    .open_form = open_form,
    .place_slices = place_slices,
    .place = place,
    .place_prefill = place_prefill,
    .arrive = arrive,
    .store = store,
    .new_batch_layer = new_batch_layer,
    .select = select_all,
    .gather = gather,
};
