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

static const struct levee_model_header* shape_of(const struct cache* cache)
{
    return &cache->model->header;
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
                  system_scheduler());
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

/* By the hooks that have a place of their own for slices, or by layers and memories. */
static void place_slices(struct cache* cache, struct space* space, store_describe* describe)
{
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->place_slices != NULL) {
            cache->hooks[i]->place_slices(cache, space, describe);
            return;
        }
    residency_place(cache, space, describe);
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
    place_slices(cache, space, request->describe);
    for (uint32_t i = 0; i < cache->hook_count; ++i) {
        cache->hooks[i]->open_form(cache, &cache->prefill_form, &cache->decode_form);
        cache->hooks[i]->place(cache, space);
    }
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->place_prefill != NULL)
            cache->hooks[i]->place_prefill(cache, space);
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
