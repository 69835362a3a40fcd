// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/placement.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/extent.h"

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
    const struct machine_placing* machine;
    const struct model* model;
    const struct policy* policy;
    const struct placement_request* request;
    uint32_t prefilled;
    bool staged;
};

static const char* const names[CACHE_VALUES] = {
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
    [VALUE_STAGED_KEYS] = "staged keys",
    [VALUE_STAGED_VALUES] = "staged values",
};

static struct load load_of_decode(const struct job* job)
{
    const uint64_t batch = job->request->batch;
    const uint64_t with_recomputed = batch * (1 + job->policy->computed_rows);
    return (struct load){
        .tokens = batch,
        .kv_rows = with_recomputed,
        .staged = job->staged || job->policy->computed_rows != 0 ? with_recomputed : 0,
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

static struct extent extent_of_value(const struct job* job, const struct load* load, unsigned value)
{
    return extent_of(job->model, load, value, &job->machine->formats[value]);
}

static uint64_t bytes_of(const struct job* job, const struct load* load, unsigned value)
{
    const struct extent extent = extent_of_value(job, load, value);
    return space_rounded(extent.data) + space_rounded(extent.scale);
}

static uint64_t activation_bytes(const struct job* job, const struct load* load)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < job->machine->activation_count; ++i)
        total += bytes_of(job, load, job->machine->activations[i]);
    return total;
}

static bool all_on_chip(const struct placement* placement, const struct job* job,
                        const struct load* load)
{
    return activation_bytes(job, load) <=
           space_room(&placement->space, system_memory(LEVEE_ROLE_ACTIVATIONS));
}

static bool is_reread(const struct job* job, unsigned value)
{
    for (uint32_t i = 0; i < job->machine->reread_count; ++i)
        if (job->machine->reread[i] == value)
            return true;
    return false;
}

/* Whether the usual order leaves nothing that products read again for the spill memory. */
static bool usual_order_suits(const struct placement* placement, const struct job* job,
                              const struct load* load)
{
    struct space trial = placement->space;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    for (uint32_t i = 0; i < job->machine->activation_count; ++i) {
        const uint64_t bytes = bytes_of(job, load, job->machine->activations[i]);
        if (bytes <= space_room(&trial, memory))
            space_take(&trial, memory, bytes);
        else if (is_reread(job, job->machine->activations[i]))
            return false;
    }
    return true;
}

/* On chip, where the machine may hold what products read again. 0: there is no room. */
static uint64_t take_on_chip(struct space* space, const struct job* job, uint64_t bytes)
{
    const uint32_t* roles = job->machine->reread_roles;
    for (unsigned i = 0; i < 2; ++i)
        if (space_room(space, system_memory(roles[i])) >= space_rounded(bytes))
            return space_take(space, system_memory(roles[i]), bytes);
    return 0;
}

/* Places what products read again as far as it finds room on chip, elements and scales each for
 * themselves. False: not all does. */
static bool take_reread(struct space* space, const struct job* job, const struct load* load,
                        struct operand values[CACHE_VALUES])
{
    const struct machine_placing* machine = job->machine;
    bool all = true;
    for (uint32_t i = 0; i < machine->reread_count; ++i) {
        const struct extent extent = extent_of_value(job, load, machine->reread[i]);
        const struct space before = *space;
        const uint64_t data = take_on_chip(space, job, extent.data);
        const uint64_t scale = data != 0 ? take_on_chip(space, job, extent.scale) : 0;
        all &= scale != 0;
        if (scale != 0)
            values[machine->reread[i]] = (struct operand){data, scale};
        else
            *space = before; /* data without its scales are no operand: the next one has the room */
    }
    return all;
}

static bool reread_on_chip(const struct placement* placement, const struct job* job, uint32_t chunk)
{
    struct space trial = placement->space;
    struct operand values[CACHE_VALUES];
    const struct load load = load_of_prefill(job, chunk);
    return take_reread(&trial, job, &load, values);
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
                 {LARGEST_SPILLED_CHUNK, reread_on_chip},
                 {LARGEST_SPILLED_CHUNK, have_room}};
    for (unsigned rule = 0; rule < sizeof rules / sizeof *rules; ++rule)
        for (uint32_t chunk = rules[rule].largest; chunk >= SMALLEST_CHUNK; chunk /= 2)
            if (rules[rule].suits(placement, job, chunk))
                return chunk;
    return SMALLEST_CHUNK;
}

static void place_activation(struct space* space, const struct job* job, const struct load* load,
                             unsigned value, struct operand values[CACHE_VALUES])
{
    const struct extent extent = extent_of_value(job, load, value);
    const uint64_t total = bytes_of(job, load, value);
    if (total == 0 || values[value].data != 0)
        return;
    const struct levee_memory_info* memory =
        space_find(space, LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_SPILL, total, names[value]);
    values[value].data = space_take(space, memory, extent.data);
    values[value].scale = extent.scale != 0 ? space_take(space, memory, extent.scale) : 0;
}

static void place_all(struct space* space, const struct job* job, const struct load* load,
                      bool reread_first, struct operand values[CACHE_VALUES])
{
    if (reread_first)
        (void)take_reread(space, job, load, values);
    for (uint32_t i = 0; i < job->machine->activation_count; ++i)
        place_activation(space, job, load, job->machine->activations[i], values);
}

/* A place for each activation, if all that products read again get one on chip; else prefill and
 * decode, which never meet, each have their own in the same bytes, those first. */
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

/* Keeps tables of the cache from taking the room of what products read again, more often than
 * those: in a decode step, and in a prefill of the most of 64, 32 and 16 tokens. */
static void reserve_reread(struct space* space, const struct job* job)
{
    struct space taken = *space;
    struct operand values[CACHE_VALUES];
    const struct load decode = load_of_decode(job);
    (void)take_reread(&taken, job, &decode, values);
    for (uint32_t chunk = LARGEST_CHUNK; chunk >= SMALLEST_CHUNK; chunk /= 2) {
        struct space trial = *space;
        const struct load prefill = load_of_prefill(job, chunk);
        if (take_reread(&trial, job, &prefill, values)) {
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

static void open_cache(struct placement* placement, const struct target* target,
                       const struct job* job)
{
    const struct cache_request request = {
        .batch = job->request->batch,
        .prefilled = job->prefilled,
        .element_bytes = job->machine->kv_element_bytes,
        .staged = target->staged,
        .describe = target->machine->describe,
    };
    cache_open(&placement->cache, job->model, job->policy, &placement->space, &request);
}

void placement_open(struct placement* placement, const struct target* target,
                    const struct model* model, const struct policy* policy,
                    const struct placement_request* request)
{
    const uint32_t prefilled = rounded_up(request->prefill, request->context);
    const struct job job = {
        &target->machine->placing, model, policy, request, prefilled, target->staged};
    struct space* space = &placement->space;
    placement->prefilled = prefilled;
    placement->batch = request->batch;
    placement->context = request->context;
    space_open(space);
    target->machine->reserve(space);
    const struct space before = *space;
    reserve_reread(space, &job);
    open_cache(placement, target, &job);
    space_unreserve(space, &before);
    placement->chunk = request->chunk != 0 ? request->chunk : choose_chunk(placement, &job);
    if (placement->chunk > prefilled)
        placement->chunk = prefilled;
    place_activations(placement, &job);
}

uint32_t placement_width(const struct placement* placement, const struct pass* pass)
{
    return pass->shape.form.prefill ? placement->prefilled : placement->cache.slots;
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
        if (memory == cache->store.memory && cache->store.values != 0)
            bytes += 2 * cache->resident_bytes;
        strcpy(names[i], memory->name);
        strcat(names[i], ".placed_bytes");
        hostlink_metric_u64(names[i], bytes);
    }
}
