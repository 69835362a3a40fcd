// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/tables.h"

#include "firmware/hal/system.h"

#include <stddef.h>

#define WORD 4u

static const struct levee_model_header* shape_of(const struct cache* cache)
{
    return &cache->model->header;
}

uint64_t cache_slot_index(const struct cache* cache, uint32_t layer, uint32_t entry, uint32_t head)
{
    const struct cache_layer* mine = &cache->layers[layer];
    return mine->first_slot + ((uint64_t)entry * shape_of(cache)->kv_heads + head) * mine->slots;
}

uint64_t cache_table_index(const struct cache* cache, uint32_t layer, uint32_t entry, uint32_t head)
{
    const uint64_t first = (uint64_t)cache->layers[layer].rank * cache->batch + entry;
    return (first * shape_of(cache)->kv_heads + head) * cache->slots;
}

uint64_t cache_redirect_bytes(const struct cache* cache)
{
    return (uint64_t)cache->batch * shape_of(cache)->kv_heads * cache->slots * WORD;
}

uint64_t cache_next_bytes(const struct cache* cache)
{
    return (uint64_t)cache->batch * shape_of(cache)->kv_heads * WORD;
}

uint64_t cache_redirect_of(const struct cache* cache, uint64_t tables)
{
    return cache->inputs != NULL ? tables : cache->redirect;
}

uint64_t cache_slot_of_of(const struct cache* cache, uint64_t tables)
{
    return tables + cache_redirect_bytes(cache);
}

uint64_t cache_next_of(const struct cache* cache, uint64_t tables)
{
    if (cache->inputs == NULL)
        return tables;
    return cache_slot_of_of(cache, tables) +
           (uint64_t)cache->batch * shape_of(cache)->kv_heads * cache->input_rows * WORD;
}

uint64_t cache_place_state(struct space* space, uint64_t bytes, const char* what)
{
    return space_take(
        space, space_find(space, LEVEE_ROLE_STATE, LEVEE_ROLE_SPILL, space_rounded(bytes), what),
        bytes);
}

uint64_t cache_place_spill(struct space* space, uint64_t bytes, const char* what)
{
    return space_take(
        space, space_find(space, LEVEE_ROLE_SPILL, LEVEE_ROLE_SPILL, space_rounded(bytes), what),
        bytes);
}

struct slices cache_prefill_slices(const struct cache* cache, uint32_t layer, uint32_t start)
{
    const struct levee_model_header* shape = shape_of(cache);
    const struct prefill_cache* prefill = &cache->prefill;
    const uint32_t number = policy_selects(cache->policy) ? layer : cache->layers[layer].rank;
    const uint64_t first = (uint64_t)number * shape->kv_heads * cache->prefilled + start;
    const uint64_t row = cache->vector_bytes;
    return (struct slices){
        .entries = 1,
        .heads = shape->kv_heads,
        .slots = cache->prefilled - start,
        .keys = prefill->keys + first * row,
        .values = prefill->values + first * row,
        .key_scales = prefill->key_scales + WORD * first,
        .value_scales = prefill->value_scales + WORD * first,
        .stride = {0, (int32_t)(cache->prefilled * row)},
        .scale_stride = {0, (int32_t)(WORD * cache->prefilled)},
    };
}

static uint32_t first_of(const struct part* part, const struct pass* pass)
{
    return part->entry > pass->shape.first_entry ? part->entry : pass->shape.first_entry;
}

static uint32_t end_of(const struct part* part, const struct pass* pass)
{
    const uint32_t end = (uint32_t)part->entry + part->entries;
    const uint32_t last = pass->shape.first_entry + pass->shape.entries;
    return end < last ? end : last;
}

uint32_t cache_parts(const struct cache* cache, const struct pass* pass, uint32_t layer)
{
    if (pass->shape.form.prefill || cache->one_part != NULL)
        return 1;
    const struct cache_layer* mine = &cache->layers[layer];
    uint32_t count = 0;
    for (uint32_t i = 0; i < mine->part_count; ++i)
        count += first_of(&mine->parts[i], pass) < end_of(&mine->parts[i], pass);
    return count;
}

struct slices cache_slices(const struct cache* cache, const struct pass* pass, uint32_t layer,
                           uint32_t index)
{
    if (pass->shape.form.prefill)
        return cache_prefill_slices(cache, layer,
                                    cache_has_window(cache, layer) ? pass->shape.start : 0);
    if (cache->one_part != NULL)
        return cache->one_part(cache, pass);
    const struct levee_model_header* shape = shape_of(cache);
    const struct part* part = cache->layers[layer].parts;
    const uint32_t slots = cache->layers[layer].slots;
    uint32_t in_layer = 0;
    for (;; ++part, ++in_layer)
        if (first_of(part, pass) < end_of(part, pass) && index-- == 0)
            break;
    const uint32_t entry = first_of(part, pass);
    const uint64_t token = cache->vector_bytes;
    const uint64_t skipped = (uint64_t)(entry - part->entry) * part->heads * slots;
    const uint64_t scale = WORD * cache_slot_index(cache, layer, entry, part->head);
    return (struct slices){
        .entry = entry - pass->shape.first_entry,
        .entries = end_of(part, pass) - entry,
        .head = part->head,
        .heads = part->heads,
        .batch_entry = entry,
        .slots = slots,
        .keys = part->keys + skipped * token,
        .values = part->values + skipped * token,
        .key_scales = cache->key_scales + scale,
        .value_scales = cache->value_scales + scale,
        .stride = {(int32_t)(part->heads * slots * token), (int32_t)(slots * token)},
        .scale_stride = {(int32_t)(WORD * shape->kv_heads * slots), (int32_t)(WORD * slots)},
        .views = part->views != 0 ? part->views + skipped : 0,
        .views_stride = {(int32_t)(part->heads * slots), (int32_t)slots},
        .part = part,
        .index = in_layer,
    };
}

uint64_t cache_bytes_per_token(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    return (uint64_t)cache_vectors(cache) * cache->vector_bytes * shape->layers * shape->kv_heads;
}

uint64_t cache_bytes(const struct cache* cache)
{
    return (uint64_t)cache_vectors(cache) * cache->vector_bytes *
           cache_slot_index(cache, shape_of(cache)->layers, 0, 0);
}

uint64_t cache_half_bytes(const struct cache* cache, const struct levee_memory_info* memory)
{
    return cache->half_bytes[memory - system_info()->memories];
}
