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
    bool tiled; /* a prefill's queries, scores and probabilities are only in tiles */
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

/* Slots of a row of scores in a prefill. */
static uint32_t prefill_width(const struct job* job)
{
    return job->policy->evicts ? job->prefilled : job->request->context;
}

static struct load load_of_decode(const struct job* job)
{
    const uint64_t batch = job->request->batch;
    const uint64_t with_recomputed = batch * (1 + job->policy->computed_rows);
    return (struct load){
        .tokens = batch,
        .kv_rows = with_recomputed,
        .staged = job->staged || job->policy->computed_rows != 0 ? with_recomputed : 0,
        .queries = batch,
        .scores = batch * job->policy->slots,
        .logits = batch,
        .separate = job->request->separate,
    };
}

static struct load load_of_prefill(const struct job* job, uint64_t chunk)
{
    return (struct load){
        .tokens = chunk,
        .kv_rows = chunk,
        .queries = job->tiled ? 0 : chunk,
        .scores = job->tiled ? 0 : chunk * prefill_width(job),
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
static bool usual_order_suits(const struct space* space, const struct job* job,
                              const struct load* load)
{
    struct space trial = *space;
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
    return usual_order_suits(&placement->space, job, &load);
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

/* The memory on chip with most room for tiles; NULL: none is on chip. */
static const struct levee_memory_info* memory_of_tiles(const struct space* space,
                                                       const struct job* job)
{
    const struct levee_memory_info* best = NULL;
    for (unsigned i = 0; i < 2; ++i) {
        const struct levee_memory_info* memory = system_memory(job->machine->reread_roles[i]);
        if (memory != system_memory(LEVEE_ROLE_SPILL) &&
            space_room(space, memory) > space_room(space, best))
            best = memory;
    }
    return best;
}

/* On chip, what tiles share with the operands that products read again: none of these is of use
 * while another is. */
struct shared {
    const struct levee_memory_info* memory;
    uint64_t bytes; /* set aside; 0: prefills are not tiled */
    uint64_t most;  /* of use */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The largest operand that products read again and that has room in so many bytes; 0: none. */
static uint64_t largest_reread(const struct job* job, uint64_t room, uint32_t chunk)
{
    const struct load load = load_of_prefill(job, chunk);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < job->machine->reread_count; ++i) {
        const uint64_t bytes = bytes_of(job, &load, job->machine->reread[i]);
        if (bytes <= room && bytes > largest)
            largest = bytes;
    }
    return largest;
}

/* Half of the room, or what the largest operand needs that has room, or all where that is too little
 * for all queries of a chunk at once. */
static struct shared set_aside(const struct placement* placement, const struct job* job,
                               const struct machine_tiling* tiling)
{
    const struct tiling_request request = {job->model, placement->chunk, prefill_width(job)};
    const struct levee_memory_info* memory = memory_of_tiles(&placement->space, job);
    const uint64_t room = space_room(&placement->space, memory);
    const uint64_t operand = largest_reread(job, room, placement->chunk);
    const uint64_t tiles = tiling->most_bytes(&request);
    const uint64_t most = tiles > operand ? tiles : operand;
    uint64_t bytes = least(room / 2 > operand ? room / 2 : operand, most);
    if (tiling->queries(&request, bytes) != placement->chunk)
        bytes = least(room, most);
    return (struct shared){memory, tiling->queries(&request, bytes) != 0 ? bytes : 0, most};
}

/* Those that products read again and that fit. */
static uint32_t values_that_share(const struct job* job, const struct load* load, uint64_t bytes)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < job->machine->reread_count; ++i)
        if (bytes_of(job, load, job->machine->reread[i]) <= bytes)
            values |= VALUE_BIT(job->machine->reread[i]);
    return values;
}

/* All that is left, as far as it is of use: tiles take it, and each operand its beginning. */
static void take_shared(struct placement* placement, struct space* space, const struct job* job,
                        const struct shared* shared)
{
    const struct load load = load_of_prefill(job, placement->chunk);
    placement->tile_bytes = least(space_room(space, shared->memory), shared->most);
    placement->tiles = space_take(space, shared->memory, placement->tile_bytes);
    for (uint32_t i = 0; i < job->machine->reread_count; ++i) {
        const unsigned value = job->machine->reread[i];
        const uint64_t scale =
            placement->tiles + space_rounded(extent_of_value(job, &load, value).data);
        if (placement->shared & VALUE_BIT(value))
            placement->prefill_values[value] = (struct operand){placement->tiles, scale};
    }
    placement->shared |=
        VALUE_BIT(VALUE_QUERY) | VALUE_BIT(VALUE_SCORES) | VALUE_BIT(VALUE_PROBABILITIES);
}

/* A place for each activation, if all that products read again get one on chip; else prefill and
 * decode, which never meet, each have their own in the same bytes, those first. */
static void place_whole(struct space* space, const struct job* job, uint32_t chunk,
                        struct operand* values, struct operand* prefill_values)
{
    const struct load any = load_of_any(job, chunk);
    if (usual_order_suits(space, job, &any)) {
        place_all(space, job, &any, false, values);
        memcpy(prefill_values, values, CACHE_VALUES * sizeof *values);
        return;
    }
    struct space other = *space;
    const struct load decode = load_of_decode(job);
    const struct load prefill = load_of_prefill(job, chunk);
    place_all(space, job, &decode, true, values);
    place_all(&other, job, &prefill, true, prefill_values);
    space_take_both(space, &other);
}

/* The same for a prefill that is tiled: it has a layout of its own. */
static void place_tiled(struct placement* placement, const struct job* job,
                        const struct shared* shared)
{
    const struct machine_placing* machine = job->machine;
    const struct space before = placement->space;
    const struct load decode = load_of_decode(job);
    const struct load prefill = load_of_prefill(job, placement->chunk);
    struct space other = before;
    place_all(&placement->space, job, &decode, !usual_order_suits(&before, job, &decode),
              placement->values);
    placement->shared = values_that_share(job, &prefill, shared->bytes);
    space_reserve(&other, shared->memory, shared->bytes);
    for (uint32_t i = 0; i < machine->activation_count; ++i)
        if (!(placement->shared & VALUE_BIT(machine->activations[i])))
            place_activation(&other, job, &prefill, machine->activations[i],
                             placement->prefill_values);
    space_unreserve(&other, &before);
    take_shared(placement, &other, job, shared);
    space_take_both(&placement->space, &other);
}

/* Whether a prefill's scores and probabilities, placed as a whole, are all on chip. */
static bool whole_on_chip(const struct placement* placement, const struct job* job)
{
    struct space space = placement->space;
    struct operand values[CACHE_VALUES] = {0}, prefill_values[CACHE_VALUES] = {0};
    const struct levee_memory_info* spill = system_memory(LEVEE_ROLE_SPILL);
    place_whole(&space, job, placement->chunk, values, prefill_values);
    return prefill_values[VALUE_SCORES].data - spill->base >= spill->size &&
           prefill_values[VALUE_PROBABILITIES].data - spill->base >= spill->size;
}

static void place_activations(struct placement* placement, const struct target* target,
                              struct job* job)
{
    const struct machine_tiling* tiling = target->machine->tiling;
    const bool wanted = job->policy->scores || !whole_on_chip(placement, job);
    struct shared shared = {0};
    job->tiled = true; /* as set_aside has to see it */
    if (wanted && tiling != NULL)
        shared = set_aside(placement, job, tiling);
    job->tiled = shared.bytes != 0;
    placement->cache.prefill_form.streamed = job->tiled;
    if (job->tiled)
        place_tiled(placement, job, &shared);
    else
        place_whole(&placement->space, job, placement->chunk, placement->values,
                    placement->prefill_values);
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
    struct job job = {.machine = &target->machine->placing,
                      .model = model,
                      .policy = policy,
                      .request = request,
                      .prefilled = prefilled,
                      .staged = target->staged};
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
    place_activations(placement, target, &job);
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
