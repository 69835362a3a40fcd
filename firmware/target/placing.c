// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/placing.h"

#include "firmware/hal/system.h"

#include <stddef.h>
#include <string.h>

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
    [VALUE_CHOICE] = "choice",
    [VALUE_STAGED_KEYS] = "staged keys",
    [VALUE_STAGED_VALUES] = "staged values",
};

/* Returns the number of slots in a row of scores in a prefill. */
uint32_t placing_width(const struct job* job)
{
    return policy_selects(job->policy) ? job->prefilled : job->request->context;
}

struct load placing_load_of_decode(const struct job* job)
{
    const uint64_t batch = job->request->batch;
    const uint64_t with_recomputed = batch * (1 + job->policy->computed_rows);
    return (struct load){
        .tokens = batch,
        .kv_rows = with_recomputed,
        .staged = job->staged || job->policy->computed_rows != 0 ? with_recomputed : 0,
        .staged_bits = system_kv_bits(),
        .queries = batch,
        .scores = batch * job->policy->widest,
        .activated = batch,
        .logits = batch,
        .separate = job->request->separate,
    };
}

struct load placing_load_of_prefill(const struct job* job, uint64_t chunk)
{
    return (struct load){
        .tokens = chunk,
        .kv_rows = chunk,
        .queries = job->tiled ? 0 : chunk,
        .scores = job->tiled ? 0 : chunk * placing_width(job),
        .activated = job->tiled ? job->activated : chunk,
        .logits = job->request->all_logits ? chunk : 1,
        .separate = job->request->separate,
    };
}

struct load placing_load_of_any(const struct job* job, uint64_t chunk)
{
    const struct load decode = placing_load_of_decode(job);
    const struct load prefill = placing_load_of_prefill(job, chunk);
    return load_of_both(&decode, &prefill);
}

struct extent placing_extent(const struct job* job, const struct load* load, unsigned value)
{
    return extent_of(job->model, load, value, &job->machine->formats[value]);
}

uint64_t placing_bytes(const struct job* job, const struct load* load, unsigned value)
{
    const struct extent extent = placing_extent(job, load, value);
    return space_rounded(extent.data) + space_rounded(extent.scale);
}

static uint32_t values_reread(const struct job* job)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < job->machine->reread_count; ++i)
        values |= VALUE_BIT(job->machine->reread[i]);
    return values;
}

/* Returns whether all values of `wanted` fit on chip if activations are placed in their usual order
 * (machine_placing.activations). Values in `placed` stay there; NULL: no value has a place. */
static bool find_room(struct space* trial, const struct job* job, const struct load* load,
                      const struct operand* placed, uint32_t wanted)
{
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    for (uint32_t i = 0; i < job->machine->activation_count; ++i) {
        const unsigned value = job->machine->activations[i];
        const uint64_t bytes = placing_bytes(job, load, value);
        if (bytes == 0 || (placed != NULL && placed[value].data != 0))
            continue;
        if (bytes <= space_room(trial, memory))
            space_take(trial, memory, bytes);
        else if (wanted & VALUE_BIT(value))
            return false;
    }
    return true;
}

/* Returns whether all repeatedly read operands of products stay on chip if values are placed in the
 * usual order. */
bool placing_usual_order_suits(const struct space* space, const struct job* job,
                               const struct load* load)
{
    struct space trial = *space;
    return find_room(&trial, job, load, NULL, values_reread(job));
}

/* Allocates bytes on chip, in the memory for operands that are read repeatedly. Returns 0 if they
 * do not fit. */
static uint64_t take_on_chip(struct space* space, const struct job* job, uint64_t bytes)
{
    const uint32_t* roles = job->machine->reread_roles;
    for (unsigned i = 0; i < 2; ++i)
        if (space_room(space, system_memory(roles[i])) >= space_rounded(bytes))
            return space_take(space, system_memory(roles[i]), bytes);
    return 0;
}

/* Places the repeatedly read operands of products on chip if they fit. Elements and scales are
 * placed separately. Returns false if not all of them fit. */
bool placing_take_reread(struct space* space, const struct job* job, const struct load* load,
                         struct operand values[CACHE_VALUES])
{
    const struct machine_placing* machine = job->machine;
    bool all = true;
    for (uint32_t i = 0; i < machine->reread_count; ++i) {
        const struct extent extent = placing_extent(job, load, machine->reread[i]);
        const struct space before = *space;
        const uint64_t data = take_on_chip(space, job, extent.data);
        const bool beside = extent.scale != 0;
        const uint64_t scale = data != 0 && beside ? take_on_chip(space, job, extent.scale) : 0;
        const bool placed = data != 0 && (scale != 0 || !beside);
        all &= placed;
        if (placed)
            values[machine->reread[i]] = (struct operand){data, scale};
        else
            *space = before; /* an operand needs both its data and its scales, so this allocation
                              * is undone, and the next operand may use the space */
    }
    return all;
}

void placing_take(struct space* space, const struct job* job, const struct load* load,
                  unsigned value, struct operand values[CACHE_VALUES])
{
    const struct extent extent = placing_extent(job, load, value);
    const uint64_t total = placing_bytes(job, load, value);
    if (total == 0 || values[value].data != 0)
        return;
    const struct levee_memory_info* memory =
        space_find(space, LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_SPILL, total, names[value]);
    values[value].data = space_take(space, memory, extent.data);
    values[value].scale = extent.scale != 0 ? space_take(space, memory, extent.scale) : 0;
}

void placing_take_all(struct space* space, const struct job* job, const struct load* load,
                      bool reread_first, struct operand values[CACHE_VALUES])
{
    if (reread_first)
        (void)placing_take_reread(space, job, load, values);
    for (uint32_t i = 0; i < job->machine->activation_count; ++i)
        placing_take(space, job, load, job->machine->activations[i], values);
}

void placing_take_verified(struct placement* placement, const struct job* job)
{
    struct load load = placing_load_of_prefill(job, job->request->verified);
    struct operand values[CACHE_VALUES] = {0};
    load.logits = job->request->verified;
    if (job->request->verified != 0)
        placing_take(&placement->space, job, &load, VALUE_LOGITS, values);
    placement->verified_logits = values[VALUE_LOGITS];
}

static uint64_t sum_bytes(const struct job* job)
{
    const bool on_chip = system_memory(LEVEE_ROLE_ACTIVATIONS) != system_memory(LEVEE_ROLE_SPILL);
    return on_chip && job->machine->sum_bytes != NULL ? job->machine->sum_bytes() : 0;
}

/* Allocates memory for partial sums. If all repeatedly read operands are on chip, this is the
 * minimum. Otherwise it is all that is left, since more sums mean fewer reads. */
static struct work take_work(struct space* space, const struct job* job, uint32_t chunk, bool least)
{
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    const uint64_t room = space_room(space, memory), sums = chunk * sum_bytes(job);
    const uint64_t bytes = sums == 0 || (least && sums < room) ? sums : room;
    return bytes != 0 ? (struct work){space_take(space, memory, bytes), bytes}
                      : (struct work){0, 0};
}

/* Returns whether prefill and decoding can share one layout in the usual order, with all values on
 * chip. */
static bool share_layout(const struct space* space, const struct job* job, const struct load* any)
{
    struct space trial = *space;
    return placing_usual_order_suits(space, job, any) &&
           find_room(&trial, job, any, NULL, UINT32_MAX);
}

/* Places all activations on chip, if they fit. Otherwise prefill and decode have separate
 * layouts in the same bytes, because they never run at the same time. Each layout places the
 * repeatedly read operands of products first. */
void placing_take_whole(struct space* space, const struct job* job, uint32_t chunk,
                        struct operand* values, struct operand* prefill_values, struct work* work)
{
    const struct load any = placing_load_of_any(job, chunk);
    if (share_layout(space, job, &any)) {
        placing_take_all(space, job, &any, false, values);
        *work = take_work(space, job, chunk, true);
        memcpy(prefill_values, values, CACHE_VALUES * sizeof *values);
        return;
    }
    struct space other = *space;
    const struct load decode = placing_load_of_decode(job);
    const struct load prefill = placing_load_of_prefill(job, chunk);
    placing_take_all(space, job, &decode, true, values);
    const bool found = placing_take_reread(&other, job, &prefill, prefill_values);
    *work = take_work(&other, job, chunk, found);
    placing_take_all(&other, job, &prefill, false, prefill_values);
    space_take_both(space, &other);
}

bool placing_whole_is_on_chip(const struct space* space, const struct job* job, uint32_t chunk,
                              uint32_t values)
{
    struct space trial = *space;
    struct operand placed[CACHE_VALUES] = {0};
    const struct load any = placing_load_of_any(job, chunk);
    const struct load prefill = placing_load_of_prefill(job, chunk);
    if (system_memory(LEVEE_ROLE_ACTIVATIONS) == system_memory(LEVEE_ROLE_SPILL))
        return false;
    if (placing_usual_order_suits(space, job, &any))
        return find_room(&trial, job, &any, NULL, values);
    (void)placing_take_reread(&trial, job, &prefill, placed);
    return find_room(&trial, job, &prefill, placed, values);
}
