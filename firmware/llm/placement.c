// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/placement.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/llm/extent.h"

#include <stddef.h>
#include <string.h>

/* Tokens prefilled at once. */
#define LARGEST_CHUNK 64u
#define SMALLEST_CHUNK 16u
#define LARGEST_SPILLED_CHUNK 512u

/* The prefill's own cache is made of so many. */
#define PREFILL_STEP 512u

/* What is to be placed. */
struct job {
    const struct model* model;
    const struct policy* policy;
    const struct placement_request* request;
    uint32_t prefilled;
};

static const char* const names[VALUE_COUNT] = {
    [VALUE_X] = "x",
    [VALUE_NORMED] = "normed",
    [VALUE_QKV] = "qkv",
    [VALUE_QUERY] = "query",
    [VALUE_SCORES] = "scores",
    [VALUE_PROBABILITIES] = "probabilities",
    [VALUE_MIXED] = "mixed",
    [VALUE_ATTENDED] = "attended",
    [VALUE_PROJECTED] = "projected",
    [VALUE_EXPANDED] = "expanded",
    [VALUE_ACTIVATED] = "activated",
    [VALUE_LOGITS] = "logits",
    [VALUE_RAW_QUERY] = "raw query",
    [VALUE_RAW_KEYS] = "raw keys",
    [VALUE_RAW_VALUES] = "raw values",
    [VALUE_NEW_KEYS] = "new keys",
    [VALUE_NEW_VALUES] = "new values",
};

/* Activations in the order in which they deserve to be on chip. */
static const enum value activations[] = {
    VALUE_X,        VALUE_NORMED,     VALUE_QUERY,    VALUE_QKV,        VALUE_RAW_QUERY,
    VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_NEW_KEYS, VALUE_NEW_VALUES, VALUE_PROJECTED,
    VALUE_MIXED,    VALUE_ATTENDED,   VALUE_EXPANDED, VALUE_ACTIVATED,  VALUE_PROBABILITIES,
    VALUE_SCORES,   VALUE_LOGITS,
};
#define ACTIVATIONS (sizeof activations / sizeof *activations)

/* What the array's products with weights read again for every few outputs, most read first, and the
 * queries. Anywhere but on chip they would cost as much as the weights. */
static const enum value operands[] = {VALUE_NORMED, VALUE_ATTENDED, VALUE_ACTIVATED, VALUE_QUERY};
#define OPERANDS (sizeof operands / sizeof *operands)

static struct load load_of_decode(const struct job* job)
{
    const uint64_t batch = job->request->batch;
    const uint64_t with_recalled = batch * (1 + job->policy->x_rows);
    return (struct load){
        .tokens = batch,
        .kv_rows = with_recalled,
        .beside = job->request->held || job->policy->x_rows != 0 ? with_recalled : 0,
        .scores = batch * job->policy->slots,
        .logits = batch,
        .separate = job->request->separate,
    };
}

static struct load load_of_prefill(const struct job* job, uint64_t chunk)
{
    const uint64_t width = job->policy->evicts ? job->prefilled : job->request->context;
    return (struct load){
        .tokens = chunk,
        .kv_rows = chunk,
        .scores = chunk * width,
        .logits = job->request->all_logits ? chunk : 1,
        .separate = job->request->separate,
    };
}

static struct load load_of_any(const struct job* job, uint64_t chunk)
{
    const struct load decode = load_of_decode(job);
    const struct load prefill = load_of_prefill(job, chunk);
    return load_of_both(&decode, &prefill);
}

static uint64_t bytes_of(const struct job* job, const struct load* load, enum value value)
{
    const struct extent extent = extent_of(job->model, load, value);
    return space_rounded(extent.data) + space_rounded(extent.scale);
}

static uint64_t activation_bytes(const struct job* job, const struct load* load)
{
    uint64_t total = 0;
    for (size_t i = 0; i < ACTIVATIONS; ++i)
        total += bytes_of(job, load, activations[i]);
    return total;
}

static bool all_on_chip(const struct placement* placement, const struct job* job,
                        const struct load* load)
{
    return activation_bytes(job, load) <=
           space_room(&placement->space, system_memory(LEVEE_ROLE_ACTIVATIONS));
}

static bool is_operand(enum value value)
{
    for (size_t i = 0; i < OPERANDS; ++i)
        if (operands[i] == value)
            return true;
    return false;
}

/* Whether the usual order leaves no operand of the array for the spill memory. */
static bool usual_order_suits(const struct placement* placement, const struct job* job,
                              const struct load* load)
{
    struct space trial = placement->space;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    for (size_t i = 0; i < ACTIVATIONS; ++i) {
        const uint64_t bytes = bytes_of(job, load, activations[i]);
        if (bytes <= space_room(&trial, memory))
            space_take(&trial, memory, bytes);
        else if (is_operand(activations[i]))
            return false;
    }
    return true;
}

/* On chip: with the activations, or beside the weights' ring. 0: there is no room. */
static uint64_t take_on_chip(struct space* space, uint64_t bytes)
{
    const uint32_t roles[] = {LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_WEIGHTS_RING};
    for (unsigned i = 0; i < 2; ++i)
        if (space_room(space, system_memory(roles[i])) >= space_rounded(bytes))
            return space_take(space, system_memory(roles[i]), bytes);
    return 0;
}

/* Places operands of the array as far as they find room on chip, elements and scales each for
 * themselves. False: not all do. */
static bool take_operands(struct space* space, const struct job* job, const struct load* load,
                          struct operand values[VALUE_COUNT])
{
    bool all = true;
    for (size_t i = 0; i < OPERANDS; ++i) {
        const struct extent extent = extent_of(job->model, load, operands[i]);
        const struct space before = *space;
        const uint64_t data = take_on_chip(space, extent.data);
        const uint64_t scale = data != 0 ? take_on_chip(space, extent.scale) : 0;
        all &= scale != 0;
        if (scale != 0)
            values[operands[i]] = (struct operand){data, scale};
        else
            *space = before; /* data without its scales are no operand: the next one has the room */
    }
    return all;
}

static bool operands_on_chip(const struct placement* placement, const struct job* job,
                             uint32_t chunk)
{
    struct space trial = placement->space;
    struct operand values[VALUE_COUNT];
    const struct load load = load_of_prefill(job, chunk);
    return take_operands(&trial, job, &load, values);
}

static bool have_room(const struct placement* placement, const struct job* job, uint32_t chunk)
{
    const struct load load = load_of_prefill(job, chunk);
    return activation_bytes(job, &load) <=
           space_room(&placement->space, system_memory(LEVEE_ROLE_SPILL));
}

static bool fits_on_chip(const struct placement* placement, const struct job* job, uint32_t chunk)
{
    const struct load load = load_of_any(job, chunk);
    return all_on_chip(placement, job, &load);
}

static bool fits_in_usual_order(const struct placement* placement, const struct job* job,
                                uint32_t chunk)
{
    const struct load load = load_of_any(job, chunk);
    return usual_order_suits(placement, job, &load);
}

static uint32_t choose_chunk(const struct placement* placement, const struct job* job)
{
    static const struct {
        uint32_t largest;
        bool (*suits)(const struct placement*, const struct job*, uint32_t chunk);
    } rules[] = {{LARGEST_CHUNK, fits_on_chip},
                 {SMALLEST_CHUNK, fits_in_usual_order},
                 {LARGEST_SPILLED_CHUNK, operands_on_chip},
                 {LARGEST_SPILLED_CHUNK, have_room}};
    for (unsigned rule = 0; rule < sizeof rules / sizeof *rules; ++rule)
        for (uint32_t chunk = rules[rule].largest; chunk >= SMALLEST_CHUNK; chunk /= 2)
            if (rules[rule].suits(placement, job, chunk))
                return chunk;
    return SMALLEST_CHUNK;
}

static void place_activation(struct space* space, const struct job* job, const struct load* load,
                             enum value value, struct operand values[VALUE_COUNT])
{
    const struct extent extent = extent_of(job->model, load, value);
    const uint64_t total = bytes_of(job, load, value);
    if (total == 0 || values[value].data != 0)
        return;
    const struct levee_memory_info* memory =
        space_find(space, LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_SPILL, total, names[value]);
    values[value].data = space_take(space, memory, extent.data);
    values[value].scale = extent.scale != 0 ? space_take(space, memory, extent.scale) : 0;
}

static void place_all(struct space* space, const struct job* job, const struct load* load,
                      bool operands_first, struct operand values[VALUE_COUNT])
{
    if (operands_first)
        (void)take_operands(space, job, load, values);
    for (size_t i = 0; i < ACTIVATIONS; ++i)
        place_activation(space, job, load, activations[i], values);
}

/* A place for each activation, if all operands of the array get one on chip; else prefill and
 * decode, which never meet, each have their own in the same bytes, operands first. */
static void place_activations(struct placement* placement, const struct job* job)
{
    const struct load any = load_of_any(job, placement->chunk);
    struct space* space = &placement->space;
    if (usual_order_suits(placement, job, &any)) {
        place_all(space, job, &any, false, placement->values);
        memcpy(placement->prefill_values, placement->values, sizeof placement->values);
        return;
    }
    struct space other = *space;
    const struct load decode = load_of_decode(job);
    const struct load prefill = load_of_prefill(job, placement->chunk);
    place_all(space, job, &decode, true, placement->values);
    place_all(&other, job, &prefill, true, placement->prefill_values);
    space_take_both(space, &other);
}

/* Keeps tables of the cache from taking what the array's operands need, which are read more often:
 * in a decode step, and in a prefill of the most of 64, 32 and 16 tokens. */
static void reserve_operands(struct space* space, const struct job* job)
{
    struct space taken = *space;
    struct operand values[VALUE_COUNT];
    const struct load decode = load_of_decode(job);
    (void)take_operands(&taken, job, &decode, values);
    for (uint32_t chunk = LARGEST_CHUNK; chunk >= SMALLEST_CHUNK; chunk /= 2) {
        struct space trial = *space;
        const struct load prefill = load_of_prefill(job, chunk);
        if (take_operands(&trial, job, &prefill, values)) {
            space_take_both(&taken, &trial);
            break;
        }
    }
    space_reserve_taken(space, &taken);
}

/* As whole steps, but no more than `most`. */
static uint32_t rounded_up(uint32_t tokens, uint32_t most)
{
    const uint32_t steps = tokens == 0 ? 1 : (tokens - 1) / PREFILL_STEP + 1;
    return steps < most / PREFILL_STEP ? steps * PREFILL_STEP : most;
}

void placement_open(struct placement* placement, const struct model* model,
                    const struct policy* policy, const struct placement_request* request)
{
    const uint32_t prefilled = rounded_up(request->prefill, request->context);
    const struct job job = {model, policy, request, prefilled};
    struct space* space = &placement->space;
    placement->prefilled = prefilled;
    placement->batch = request->batch;
    placement->context = request->context;
    space_open(space);
    rings_reserve(space);
    const struct space before = *space;
    reserve_operands(space, &job);
    cache_open(&placement->cache, model, policy, space, request->batch, prefilled, request->held);
    space_unreserve(space, &before);
    placement->chunk = request->chunk != 0 ? request->chunk : choose_chunk(placement, &job);
    if (placement->chunk > prefilled)
        placement->chunk = prefilled;
    place_activations(placement, &job);
    rings_place(&placement->rings, space, &placement->cache);
}

uint32_t placement_width(const struct placement* placement, const struct pass* pass)
{
    return pass->form.prefill ? placement->prefilled : placement->cache.slots;
}

void placement_report(const struct placement* placement)
{
    static char names[LEVEE_MAX_MEMORIES][LEVEE_NAME_BYTES + sizeof ".placed_bytes"];
    const struct levee_boot_info* info = system_info();
    const struct cache* cache = &placement->cache;
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        uint64_t bytes = space_first_free(&placement->space, memory) - memory->base;
        if (memory->roles & LEVEE_ROLE_CODE)
            continue;
        if (memory == system_memory(LEVEE_ROLE_KV) && cache->edram.values != 0)
            bytes += 2 * cache->edram_used;
        strcpy(names[i], memory->name);
        strcat(names[i], ".placed_bytes");
        hostlink_metric_u64(names[i], bytes);
    }
    rings_report(&placement->rings);
}
