// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/placing_open.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/system.h"
#include "firmware/target/opening.h"
#include "firmware/target/placing.h"
#include "firmware/target/refresh/refresh.h"

#include <stddef.h>
#include <string.h>

/* Default limit on the number of tokens that a prefill processes at once. */
#define LARGEST_CHUNK 64u
#define SMALLEST_CHUNK 16u
#define LARGEST_SPILLED_CHUNK 512u

/* The size of the prefill's own cache is a multiple of this number of tokens. */
#define PREFILL_STEP 512u

static uint64_t activation_bytes(const struct job* job, const struct load* load)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < job->machine->activation_count; ++i)
        total += placing_bytes(job, load, job->machine->activations[i]);
    return total;
}

static bool all_on_chip(const struct placement* placement, const struct job* job,
                        const struct load* load)
{
    return activation_bytes(job, load) <=
           space_room(&placement->space, system_memory(LEVEE_ROLE_ACTIVATIONS));
}

static bool reread_on_chip(const struct placement* placement, const struct job* job, uint32_t chunk)
{
    struct space trial = placement->space;
    struct operand values[CACHE_VALUES];
    const struct load load = placing_load_of_prefill(job, chunk);
    return placing_take_reread(&trial, job, &load, values);
}

static bool have_room(const struct placement* placement, const struct job* job, uint32_t chunk)
{
    const struct load load = placing_load_of_prefill(job, chunk);
    return activation_bytes(job, &load) <=
           space_room(&placement->space, system_memory(LEVEE_ROLE_SPILL));
}

static bool fits_on_chip(const struct placement* placement, const struct job* job, uint32_t chunk)
{
    const struct load load = placing_load_of_any(job, chunk);
    return all_on_chip(placement, job, &load);
}

static bool fits_in_usual_order(const struct placement* placement, const struct job* job,
                                uint32_t chunk)
{
    const struct load load = placing_load_of_any(job, chunk);
    return placing_usual_order_suits(&placement->space, job, &load);
}

static ALWAYS_INLINE uint32_t choose_chunk(const struct placement* placement, const struct job* job)
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

/* Reserves space for the repeatedly read inputs of products. Otherwise the cache's tables, which
 * are read less often, would take this space. The space suffices for a decode step, and for a
 * prefill chunk of 64, 32 or 16 tokens, the largest of these that fits. */
static void reserve_reread(struct space* space, const struct job* job)
{
    struct space taken = *space;
    struct operand values[CACHE_VALUES];
    const struct load decode = placing_load_of_decode(job);
    (void)placing_take_reread(&taken, job, &decode, values);
    for (uint32_t chunk = LARGEST_CHUNK; chunk >= SMALLEST_CHUNK; chunk /= 2) {
        struct space trial = *space;
        const struct load prefill = placing_load_of_prefill(job, chunk);
        if (placing_take_reread(&trial, job, &prefill, values)) {
            space_take_both(&taken, &trial);
            break;
        }
    }
    space_reserve_taken(space, &taken);
}

/* Rounds up to a multiple of PREFILL_STEP, but returns at most `most`. */
static uint32_t rounded_up(uint32_t tokens, uint32_t most)
{
    const uint32_t steps = tokens == 0 ? 1 : (tokens - 1) / PREFILL_STEP + 1;
    return steps < most / PREFILL_STEP ? steps * PREFILL_STEP : most;
}

/* Returns the form of keys and values that the scenario requests. Ends the run if the machine does
 * not support it. */
static ALWAYS_INLINE struct kv_form kv_form(const struct machine_placing* machine)
{
    const uint32_t bits = system_kv_bits();
    for (uint32_t i = 0; i < machine->kv_form_count; ++i)
        if (machine->kv_forms[i].bits == bits)
            return machine->kv_forms[i];
    fatal(EXIT_REFUSED, "kv_cache.bits is %lu; scheduler %s keeps keys and values of %u bits only",
          (unsigned long)bits, system_scheduler(), SYSTEM_KV_BITS);
}

/* Returns how many tokens a prefill's own cache holds. If it has only local layers, these are the
 * chunk and twice as many earlier tokens as the windows need. Twice as many are held so that they
 * can move to the front without overlap. */
static ALWAYS_INLINE uint32_t prefilled_at_once(const struct job* job)
{
    const uint32_t chunk = job->request->chunk != 0 ? job->request->chunk : LARGEST_SPILLED_CHUNK;
    const uint64_t needed = 2ull * (job->policy->ring - 1) + chunk;
    const bool local = job->policy->banded && !policy_selects(job->policy);
    return local && needed < job->prefilled ? (uint32_t)needed : job->prefilled;
}

/* Returns the largest chunk that fits together with its windows. */
static uint32_t largest_chunk(const struct placement* placement, const struct policy* policy)
{
    const uint32_t room = placement->cache.prefilled;
    if (policy->ring == 0 || room == placement->prefilled)
        return placement->prefilled;
    return room - 2 * (policy->ring - 1);
}

static ALWAYS_INLINE void open_cache(struct placement* placement, const struct machine* machine,
                                     const struct job* job, store_describe* describe)
{
    const struct cache_request request = {
        .batch = job->request->batch,
        .prefilled = prefilled_at_once(job),
        .form = kv_form(job->machine),
        .input_element_bytes = job->machine->kv_forms->bits / 8u,
        .scaled = job->machine->kv_scaled,
        .staged = machine->staged,
        .describe = describe,
    };
    cache_open(&placement->cache, job->model, job->policy, &placement->space, &request);
}

/* Returns the usual chunk, or the chunk that the units for weights prefer. */
static ALWAYS_INLINE uint32_t bounded_chunk(const struct placement* placement,
                                            const struct job* job,
                                            const struct machine_part* weights)
{
    const uint32_t usual = choose_chunk(placement, job);
    if (weights->chunk_bounds == NULL || placement->longest_prefill <= 1)
        return usual;
    const struct chunk_bounds bounds = weights->chunk_bounds(job->model);
    uint32_t chunk = usual;
    while (chunk < bounds.enough && have_room(placement, job, 2 * chunk))
        chunk *= 2;
    return chunk < bounds.worth ? chunk : bounds.worth;
}

/* For each value that uses another value's memory, sets the other value's address. */
static void share_places(const uint8_t lies_with[CACHE_VALUES], struct operand* values)
{
    for (unsigned i = 0; i < CACHE_VALUES; ++i)
        if (lies_with[i] != VALUE_NONE)
            values[i] = values[lies_with[i]];
}

static ALWAYS_INLINE struct job begin(struct placement* placement, const struct machine* machine,
                                      const struct model* model, const struct policy* policy,
                                      const struct placement_request* request)
{
    const uint32_t prefilled = rounded_up(request->prefill, request->context);
    placement->prefilled = prefilled;
    placement->longest_prefill = request->prefill;
    placement->batch = request->batch;
    placement->context = request->context;
    placement->verified = request->verified;
    return (struct job){.machine = &machine->placing,
                        .model = model,
                        .policy = policy,
                        .request = request,
                        .prefilled = prefilled,
                        .staged = machine->staged};
}

/* Places everything that a pass needs except the cache. */
static ALWAYS_INLINE void place_passes(struct placement* placement, const struct machine* machine,
                                       struct job* job)
{
    const struct policy* policy = job->policy;
    placement->chunk = job->request->chunk != 0
                           ? job->request->chunk
                           : bounded_chunk(placement, job, machine_weights(machine));
    if (placement->chunk > largest_chunk(placement, policy))
        placement->chunk = largest_chunk(placement, policy);
    if (policy->ring != 0 && !policy->banded) /* Each token takes the slot of the token that
                                               * leaves the window. */
        placement->chunk = 1;
    placing_take_activations(placement, machine->tiling, job);
    placing_take_verified(placement, job);
    share_places(machine->placing.lies_with, placement->values);
    share_places(machine->placing.lies_with, placement->prefill_values);
}

void placement_open(struct placement* placement, const struct machine* machine,
                    const struct model* model, const struct policy* policy,
                    const struct placement_request* request)
{
    struct job job = begin(placement, machine, model, policy, request);
    struct space* space = &placement->space;
    space_open(space);
    machine_reserve(machine, space);
    const struct space before = *space;
    reserve_reread(space, &job);
    open_cache(placement, machine, &job, refresh_describe);
    space_unreserve(space, &before);
    place_passes(placement, machine, &job);
}

/* Describes memory without refresh, for the keys and values of a second placement. */
static void describe_plain(const struct levee_memory_info* memory, struct store* store)
{
    *store = (struct store){.memory = memory};
}

/* Excludes memories that need refresh. Their registers describe only one cache, and rings take the
 * rest of their space. */
static void keep_to_plain(struct space* space)
{
    const struct levee_boot_info* info = system_info();
    const uint32_t rings = LEVEE_ROLE_WEIGHTS_RING | LEVEE_ROLE_KV_RING;
    for (uint32_t i = 0; i < info->memory_count; ++i)
        if ((info->memories[i].roles & rings) != 0 || machine_refreshes(&info->memories[i]))
            space->end[i] = space->next[i];
}

static uint64_t earlier(const struct levee_memory_info* memory, uint64_t first, uint64_t address)
{
    return address - memory->base < memory->size && address < first ? address : first;
}

/* Returns the lowest address of the placement's activations in the memory; if it has none there,
 * the given end. */
static uint64_t first_activation(const struct placement* placement,
                                 const struct levee_memory_info* memory, uint64_t end)
{
    uint64_t first = earlier(memory, end, placement->tiles);
    first = earlier(memory, first, placement->work.data);
    for (unsigned i = 0; i < CACHE_VALUES; ++i) {
        first = earlier(memory, first, placement->values[i].data);
        first = earlier(memory, first, placement->values[i].scale);
        first = earlier(memory, first, placement->prefill_values[i].data);
        first = earlier(memory, first, placement->prefill_values[i].scale);
    }
    return first;
}

/* In memories on chip, leaves only the bytes of the first placement's activations free. */
static void share_activations(struct space* space, const struct placement* first)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        if (memory == system_memory(LEVEE_ROLE_SPILL))
            continue;
        space->end[i] = first->space.next[i];
        space->next[i] = first_activation(first, memory, space->end[i]);
    }
}

void placement_open_beside(struct placement* placement, struct placement* first,
                           const struct machine* machine, const struct model* model,
                           const struct policy* policy, const struct placement_request* request)
{
    struct job job = begin(placement, machine, model, policy, request);
    struct space* space = &placement->space;
    *space = first->space;
    keep_to_plain(space);
    open_cache(placement, machine, &job, describe_plain);
    const struct space behind = *space;
    share_activations(space, first);
    place_passes(placement, machine, &job);
    space_take_both(space, &behind);
    space_take_both(&first->space, space);
}
