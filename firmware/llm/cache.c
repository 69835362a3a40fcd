// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/cache.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/llm/residency.h"

#include <stddef.h>
#include <stdio.h>

#define WORD 4u

static const struct levee_model_header* shape_of(const struct cache* cache)
{
    return &cache->model->header;
}

uint64_t cache_slot_index(const struct cache* cache, uint32_t layer, uint32_t entry, uint32_t head)
{
    return (((uint64_t)layer * cache->batch + entry) * shape_of(cache)->kv_heads + head) *
           cache->slots;
}

static uint64_t redirect_bytes(const struct cache* cache)
{
    return (uint64_t)cache->batch * shape_of(cache)->kv_heads * cache->slots * WORD;
}

static uint64_t next_bytes(const struct cache* cache)
{
    return (uint64_t)cache->batch * shape_of(cache)->kv_heads * WORD;
}

uint64_t cache_redirect_of(const struct cache* cache, uint64_t tables)
{
    return cache->x_rows != 0 ? tables : cache->redirect;
}

uint64_t cache_slot_of_of(const struct cache* cache, uint64_t tables)
{
    return tables + redirect_bytes(cache);
}

uint64_t cache_next_of(const struct cache* cache, uint64_t tables)
{
    if (cache->x_rows == 0)
        return tables;
    return cache_slot_of_of(cache, tables) +
           (uint64_t)cache->batch * shape_of(cache)->kv_heads * cache->x_rows * WORD;
}

/* In the memory for tables, or with everything else that finds no room. */
static uint64_t place_state(struct space* space, uint64_t bytes, const char* what)
{
    return space_take(
        space, space_find(space, LEVEE_ROLE_STATE, LEVEE_ROLE_SPILL, space_rounded(bytes), what),
        bytes);
}

static uint64_t place_spill(struct space* space, uint64_t bytes, const char* what)
{
    return space_take(
        space, space_find(space, LEVEE_ROLE_SPILL, LEVEE_ROLE_SPILL, space_rounded(bytes), what),
        bytes);
}

static void place_tables(struct cache* cache, struct space* space, bool held)
{
    const struct levee_model_header* shape = shape_of(cache);
    const uint64_t slots = cache_slot_index(cache, shape->layers, 0, 0);
    const uint64_t rows = (uint64_t)shape->layers * cache->batch * cache->x_rows;
    if (held && cache->x_rows == 0)
        cache->redirect = place_state(space, redirect_bytes(cache), "redirections");
    if (!cache->policy->evicts)
        return;
    cache->table_bytes = (uint32_t)(cache_next_of(cache, 0) + next_bytes(cache));
    cache->importance = place_state(space, 2 * slots, "importance scores");
    cache->positions = place_state(space, WORD * slots, "positions");
    cache->tables = place_state(space, (uint64_t)shape->layers * cache->table_bytes, "slot tables");
    cache->snapshot = place_state(space, cache->table_bytes, "slot tables");
    cache->keep = place_state(space, next_bytes(cache), "slot tables");
    cache->gather =
        place_state(space, (uint64_t)shape->kv_heads * cache->slots * WORD, "slot tables");
    if (cache->x_rows == 0)
        return;
    cache->x_scales = place_state(space, WORD * rows, "scales of inputs");
    cache->holders = place_state(space, 2 * WORD * rows, "tables of inputs");
    cache->x_positions = cache->holders + WORD * rows;
    cache->x_gather = place_state(space, (uint64_t)WORD * cache->x_rows, "tables of inputs");
    const size_t words = shape->layers * cache->batch * sizeof(uint32_t);
    cache->current = heap_take(words, "a table");
    cache->used = heap_take(words, "a table");
}

static void place_prefill(struct cache* cache, struct space* space)
{
    const struct levee_model_header* shape = shape_of(cache);
    const uint64_t tokens = (uint64_t)shape->layers * cache->prefilled;
    const uint64_t vectors = tokens * shape->kv_heads;
    struct prefill_cache* prefill = &cache->prefill;
    if (!cache->policy->evicts)
        return;
    prefill->keys = place_spill(space, 2 * vectors * shape->head_dim, "prefilled keys");
    prefill->key_scales = place_spill(space, WORD * vectors, "prefilled keys");
    prefill->values = place_spill(space, 2 * vectors * shape->head_dim, "prefilled values");
    prefill->value_scales = place_spill(space, WORD * vectors, "prefilled values");
    prefill->importance = place_spill(space, 2 * vectors, "prefilled importance scores");
    if (cache->x_rows == 0)
        return;
    prefill->x = place_spill(space, 2 * tokens * shape->dim, "prefilled inputs");
    prefill->x_scales = place_spill(space, WORD * tokens, "prefilled inputs");
}

static void open_structures(struct cache* cache, bool held)
{
    const struct levee_model_header* shape = shape_of(cache);
    for (uint32_t layer = 0; layer < shape->layers; ++layer) {
        struct cache_layer* mine = &cache->layers[layer];
        if (cache->x_rows != 0)
            mine->formats = heap_take(sizeof *mine->formats, "a table");
        for (uint32_t i = 0; i < mine->part_count; ++i) {
            struct part* part = &mine->parts[i];
            for (unsigned side = 0; side < 2 && (held || cache->x_rows != 0); ++side)
                part->redirect[side] = heap_take(sizeof *part->redirect[side], "a table");
            if (cache->x_rows != 0)
                part->formats = heap_take(sizeof *part->formats, "a table");
        }
    }
}

void cache_open(struct cache* cache, const struct model* model, const struct policy* policy,
                struct space* space, uint32_t batch, uint32_t prefilled, bool held)
{
    *cache = (struct cache){.model = model,
                            .policy = policy,
                            .batch = batch,
                            .slots = policy->slots,
                            .x_rows = policy->x_rows,
                            .prefilled = prefilled};
    cache->layers = heap_take(model->header.layers * sizeof *cache->layers, "the cache's layers");
    residency_place(cache, space);
    place_tables(cache, space, held);
    place_prefill(cache, space);
    open_structures(cache, held);
}

static struct slices prefill_slices(const struct cache* cache, uint32_t layer)
{
    const struct levee_model_header* shape = shape_of(cache);
    const struct prefill_cache* prefill = &cache->prefill;
    const uint64_t first = (uint64_t)layer * shape->kv_heads * cache->prefilled;
    const uint64_t data = 2 * first * shape->head_dim;
    return (struct slices){
        .entries = 1,
        .heads = shape->kv_heads,
        .slots = cache->prefilled,
        .keys = prefill->keys + data,
        .values = prefill->values + data,
        .key_scales = prefill->key_scales + WORD * first,
        .value_scales = prefill->value_scales + WORD * first,
        .stride = {0, (int32_t)(2 * cache->prefilled * shape->head_dim)},
        .scale_stride = {0, (int32_t)(WORD * cache->prefilled)},
    };
}

static uint32_t first_of(const struct part* part, const struct pass* pass)
{
    return part->entry > pass->first_entry ? part->entry : pass->first_entry;
}

static uint32_t end_of(const struct part* part, const struct pass* pass)
{
    const uint32_t end = (uint32_t)part->entry + part->entries;
    const uint32_t last = pass->first_entry + pass->entries;
    return end < last ? end : last;
}

uint32_t cache_parts(const struct cache* cache, const struct pass* pass, uint32_t layer)
{
    if (pass->form.prefill)
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
    if (pass->form.prefill)
        return prefill_slices(cache, layer);
    const struct levee_model_header* shape = shape_of(cache);
    struct part* part = cache->layers[layer].parts;
    for (;; ++part)
        if (first_of(part, pass) < end_of(part, pass) && index-- == 0)
            break;
    const uint32_t entry = first_of(part, pass);
    const uint64_t token = 2 * shape->head_dim;
    const uint64_t skipped = (uint64_t)(entry - part->entry) * part->heads * cache->slots;
    const uint64_t scale = WORD * cache_slot_index(cache, layer, entry, part->head);
    return (struct slices){
        .entry = entry - pass->first_entry,
        .entries = end_of(part, pass) - entry,
        .head = part->head,
        .heads = part->heads,
        .batch_entry = entry,
        .slots = cache->slots,
        .keys = part->keys + skipped * token,
        .values = part->values + skipped * token,
        .key_scales = cache->key_scales + scale,
        .value_scales = cache->value_scales + scale,
        .stride = {(int32_t)(part->heads * cache->slots * token), (int32_t)(cache->slots * token)},
        .scale_stride = {(int32_t)(WORD * shape->kv_heads * cache->slots),
                         (int32_t)(WORD * cache->slots)},
        .views = part->views != 0 ? part->views + skipped : 0,
        .views_stride = {(int32_t)(part->heads * cache->slots), (int32_t)cache->slots},
        .part = part,
    };
}

void cache_open_edram(const struct cache* cache)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        edram_set_interval(&cache->edram, (enum levee_edram_group)group, kv->refresh_ps[group]);
    if (cache->edram.score_count != 0 && cache->policy->evicts)
        edram_set_region(&cache->edram, 0,
                         &(struct edram_region){
                             .vector_bytes = 2 * shape_of(cache)->head_dim,
                             .vectors = cache->resident_slices * cache->slots,
                         });
    struct edram activations;
    edram_open(&activations, system_memory(LEVEE_ROLE_ACTIVATIONS));
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        edram_set_interval(&activations, (enum levee_edram_group)group, kv->activation_refresh_ps);
}

void cache_new_batch(const struct cache* cache)
{
    edram_forget(&cache->edram);
    if (cache->x_rows == 0)
        return;
    for (uint32_t i = 0; i < shape_of(cache)->layers * cache->batch; ++i)
        cache->current[i] = cache->used[i] = 0;
}

bool cache_recalled(const struct cache* cache, uint32_t entries, uint32_t* rows)
{
    bool any = false;
    if (cache->x_rows == 0)
        return false;
    for (uint32_t layer = 0; layer < shape_of(cache)->layers; ++layer) {
        rows[layer] = 1;
        for (uint32_t entry = 0; entry < entries; ++entry) {
            const uint32_t used = cache->used[layer * cache->batch + entry];
            any |= used != 0;
            if (used > rows[layer])
                rows[layer] = used;
        }
    }
    return any;
}

uint64_t cache_bytes_per_token(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    return 4ull * shape->layers * shape->kv_heads * shape->head_dim;
}

void cache_report(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    hostlink_metric_u64("kv.slots", cache->slots);
    hostlink_metric_u64("kv.slices", (uint64_t)shape->layers * cache->batch * shape->kv_heads);
    hostlink_metric_u64("kv.resident_slices", cache->resident_slices);
    hostlink_metric_u64("kv.slice_bytes", 2ull * cache->slots * shape->head_dim);
    hostlink_metric_u64("kv.x_rows", cache->x_rows);
    if (cache->resident_slices != 0)
        hostlink_metric_u64("kv.edram_base_offset",
                            cache->layers[0].parts[0].keys - system_memory(LEVEE_ROLE_KV)->base);
    if (!cache->policy->off_for_size)
        return;
    hostlink_metric_u64("kelle.recompute_off_gqa", 1);
    printf("recomputation is off: in this model a token's layer input is no smaller than its keys "
           "and values\n");
}
