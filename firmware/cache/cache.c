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
#include "firmware/policies/figures.h"

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

/* Chooses the sets of hooks that implement the policy. A new policy must be added here. */
static void choose_hooks(struct cache* cache, bool staged)
{
    if (staged)
        use_hooks(cache, &staging_hooks);
    if (cache->policy->evicts)
        use_hooks(cache, cache->policy->votes ? &voting_hooks : &slots_hooks);
    if (cache->policy->compresses) {
        if (staged)
            fatal(EXIT_REFUSED,
                  "kv_cache.policy is cpq: scheduler %s stages arriving keys and values, which it "
                  "cannot compress; expected another scheduler",
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

/* Places slices by the hook place_slices if a set of hooks has it. Otherwise places them layer by
 * layer and memory by memory (residency.h). */
static void place_slices(struct cache* cache, struct space* space, store_describe* describe)
{
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->place_slices != NULL) {
            cache->hooks[i]->place_slices(cache, space, describe);
            return;
        }
    residency_place(cache, space, describe);
}

/* Gives each layer as many slots as the policy requires. A local layer gets one slot for each token
 * of its window. */
static void open_layers(struct cache* cache)
{
    const struct model* model = cache->model;
    const struct policy* policy = cache->policy;
    const uint32_t count = model->header.layers;
    uint32_t ranks[2] = {0, 0};
    uint64_t first = 0;
    cache->layers = heap_take((count + 1) * sizeof *cache->layers, "the cache's layers");
    for (uint32_t i = 0; i < count; ++i) {
        struct cache_layer* layer = &cache->layers[i];
        layer->local = policy_is_local(policy, &model->layers[i]);
        layer->masked = policy_is_masked(policy, &model->layers[i]);
        layer->slots = layer->local ? policy->ring : policy->slots;
        layer->rank = ranks[layer->local]++;
        layer->first_slot = first;
        first += (uint64_t)cache->batch * model->header.kv_heads * layer->slots;
    }
    cache->full_layers = ranks[false];
    cache->layers[count] = (struct cache_layer){.rank = ranks[false], .first_slot = first};
}

/* Returns the distance in bytes from a key to its value. In latent attention the value is the part
 * of the key after the rotated elements. Otherwise values are separate, and the distance is 0. */
static uint32_t value_bytes(const struct model* model, const struct kv_form* form)
{
    const bool latent = (model->properties & MODEL_LATENT) != 0;
    return latent ? model->rotated * form->bits / 8 : 0;
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
                            .value_bytes = value_bytes(model, &request->form),
                            .input_element_bytes = request->input_element_bytes,
                            .scaled = request->scaled,
                            .prefilled = request->prefilled};
    open_layers(cache);
    choose_hooks(cache, request->staged);
    place_slices(cache, space, request->describe);
    cache->prefill_forms.local.prefill = policy->banded;
    for (uint32_t i = 0; i < cache->hook_count; ++i) {
        cache->hooks[i]->open_form(cache, &cache->prefill_forms.full, &cache->decode_forms.full);
        cache->hooks[i]->place(cache, space);
    }
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->place_prefill != NULL)
            cache->hooks[i]->place_prefill(cache, space);
    if (policy->banded && !policy_selects(policy))
        slots_place_prefilled(cache, space, model->header.layers - cache->full_layers);
}

static void report_local(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    const struct policy* policy = cache->policy;
    uint64_t layers = 0;
    for (uint32_t layer = 0; layer < shape->layers; ++layer)
        layers += cache_has_window(cache, layer);
    hostlink_metric_u64("kv.local_slots", policy->ring != 0 ? policy->ring : policy->slots);
    hostlink_metric_u64("kv.local_slices", layers * cache->batch * shape->kv_heads);
    hostlink_metric_u64("kv.bytes", cache_bytes(cache));
}

void cache_report(const struct cache* cache)
{
    const struct levee_model_header* shape = shape_of(cache);
    hostlink_metric_u64("kv.slots", cache->slots);
    hostlink_metric_u64("kv.slices", (uint64_t)shape->layers * cache->batch * shape->kv_heads);
    if (policy_window(cache->policy) != 0)
        report_local(cache);
    hostlink_metric_u64("kv.resident_slices", cache->resident_slices);
    hostlink_metric_u64("kv.slice_bytes", (uint64_t)cache->vector_bytes * cache->slots);
    hostlink_metric_u64("kv.x_rows", cache->input_rows);
    if (cache->resident_slices != 0)
        hostlink_metric_u64("kv.edram_base_offset",
                            cache->layers[0].parts[0].keys - cache->store.memory->base);
    if (!cache->policy->off_for_size)
        return;
    if (cache->form.bits != SYSTEM_KV_BITS) {
        hostlink_metric_u64(LEVEE_FIGURE_RECOMPUTE_OFF_BITS, 1);
        printf("recomputation is off: a token's layer input is no smaller than its keys and values "
               "of %u bits\n",
               cache->form.bits);
        return;
    }
    hostlink_metric_u64(LEVEE_FIGURE_RECOMPUTE_OFF_GQA, 1);
    printf("recomputation is off: in this model a token's layer input is no smaller than its keys "
           "and values\n");
}
