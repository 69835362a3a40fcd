// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/cache.h"

#include "firmware/cache/compressed.h"
#include "firmware/cache/kelle/inputs.h"
#include "firmware/cache/residency.h"
#include "firmware/cache/retrieval.h"
#include "firmware/cache/slots.h"
#include "firmware/cache/staging.h"
#include "firmware/cache/voting.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"

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

static void use_hooks(struct cache* cache, const struct cache_hooks* hooks)
{
    cache->hooks[cache->hook_count++] = hooks;
}

/* The sets of hooks that make up the policy. A new policy is listed here. */
static void choose_hooks(struct cache* cache, bool staged)
{
    if (staged)
        use_hooks(cache, &staging_hooks);
    if (cache->policy->evicts)
        use_hooks(cache, cache->policy->votes ? &voting_hooks : &slots_hooks);
    if (cache->policy->compresses) {
        if (staged)
            fatal(EXIT_REFUSED,
                  "kv_cache.policy is cpq: scheduler %s stages arriving keys and values, which "
                  "compressed rows are not made from",
                  system_info()->scheduler);
        cache->compressed = heap_take(sizeof *cache->compressed, "compressed rows");
        use_hooks(cache, &compressed_hooks);
    }
    if (cache->policy->input_rows != 0) {
        cache->inputs = heap_take(sizeof *cache->inputs, "stored inputs");
        cache->inputs->rows =
            heap_take(shape_of(cache)->layers * sizeof *cache->inputs->rows, "stored inputs");
        use_hooks(cache, &inputs_hooks);
    }
    if (cache->policy->retrieval.bits != 0)
        use_hooks(cache, &retrieval_hooks);
}

void cache_open(struct cache* cache, const struct model* model, const struct policy* policy,
                struct space* space, const struct cache_request* request)
{
    *cache = (struct cache){.model = model,
                            .policy = policy,
                            .batch = request->batch,
                            .slots = policy->slots,
                            .input_rows = policy->input_rows,
                            .form = request->form,
                            .vector_bytes = model->header.head_dim * request->form.bits / 8,
                            .input_element_bytes = request->input_element_bytes,
                            .scaled = request->scaled,
                            .prefilled = request->prefilled};
    cache->layers = heap_take(model->header.layers * sizeof *cache->layers, "the cache's layers");
    choose_hooks(cache, request->staged);
    if (cache->compressed != NULL)
        compressed_place(cache, space, request->describe);
    else
        residency_place(cache, space, request->describe);
    for (uint32_t i = 0; i < cache->hook_count; ++i) {
        cache->hooks[i]->open_form(cache, &cache->prefill_form, &cache->decode_form);
        cache->hooks[i]->place(cache, space);
    }
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->place_prefill != NULL)
            cache->hooks[i]->place_prefill(cache, space);
}

struct slices cache_prefill_slices(const struct cache* cache, uint32_t layer)
{
    const struct levee_model_header* shape = shape_of(cache);
    const struct prefill_cache* prefill = &cache->prefill;
    const uint64_t first = (uint64_t)layer * shape->kv_heads * cache->prefilled;
    const uint64_t row = cache->vector_bytes;
    return (struct slices){
        .entries = 1,
        .heads = shape->kv_heads,
        .slots = cache->prefilled,
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
    if (pass->shape.form.prefill || cache->compressed != NULL)
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
        return cache_prefill_slices(cache, layer);
    if (cache->compressed != NULL)
        return compressed_slices(cache, pass);
    const struct levee_model_header* shape = shape_of(cache);
    const struct part* part = cache->layers[layer].parts;
    uint32_t in_layer = 0;
    for (;; ++part, ++in_layer)
        if (first_of(part, pass) < end_of(part, pass) && index-- == 0)
            break;
    const uint32_t entry = first_of(part, pass);
    const uint64_t token = cache->vector_bytes;
    const uint64_t skipped = (uint64_t)(entry - part->entry) * part->heads * cache->slots;
    const uint64_t scale = WORD * cache_slot_index(cache, layer, entry, part->head);
    return (struct slices){
        .entry = entry - pass->shape.first_entry,
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
        .index = in_layer,
    };
}

uint64_t cache_bytes_per_token(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    return 2ull * cache->vector_bytes * shape->layers * shape->kv_heads;
}

uint64_t cache_half_bytes(const struct cache* cache, const struct levee_memory_info* memory)
{
    return cache->half_bytes[memory - system_info()->memories];
}

void cache_report(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    hostlink_metric_u64("kv.slots", cache->slots);
    hostlink_metric_u64("kv.slices", (uint64_t)shape->layers * cache->batch * shape->kv_heads);
    hostlink_metric_u64("kv.resident_slices", cache->resident_slices);
    hostlink_metric_u64("kv.slice_bytes", (uint64_t)cache->vector_bytes * cache->slots);
    hostlink_metric_u64("kv.x_rows", cache->input_rows);
    if (cache->resident_slices != 0)
        hostlink_metric_u64("kv.edram_base_offset",
                            cache->layers[0].parts[0].keys - cache->store.memory->base);
    if (!cache->policy->off_for_size)
        return;
    if (cache->form.bits != SYSTEM_KV_BITS) {
        hostlink_metric_u64("kelle.recompute_off_bits", 1);
        printf("recomputation is off: a token's layer input is no smaller than its keys and values "
               "of %u bits\n",
               cache->form.bits);
        return;
    }
    hostlink_metric_u64("kelle.recompute_off_gqa", 1);
    printf("recomputation is off: in this model a token's layer input is no smaller than its keys "
           "and values\n");
}
