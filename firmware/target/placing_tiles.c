// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/system.h"
#include "firmware/target/placing.h"

#include <stddef.h>

/* Tiles get at least 1/SHARE of the space on chip. */
#define SHARE 8u

/* Returns the on-chip memory with the most space for tiles; NULL: there is none. */
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

/* On-chip memory that is used either by tiles or by one of the repeatedly read operands of
 * products. Only one of them uses it at any time. */
struct shared {
    const struct levee_memory_info* memory;
    uint64_t bytes;    /* bytes set aside; 0: prefills are not tiled */
    uint64_t most;     /* greatest use */
    uint64_t operands; /* bytes of the largest operand */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the bytes of the largest repeatedly read operand of products that fits into `room`; 0:
 * none fits. */
static uint64_t largest_reread(const struct job* job, uint64_t room, uint32_t chunk)
{
    const struct load load = placing_load_of_prefill(job, chunk);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < job->machine->reread_count; ++i) {
        const uint64_t bytes = placing_bytes(job, &load, job->machine->reread[i]);
        if (bytes <= room && bytes > largest)
            largest = bytes;
    }
    return largest;
}

/* Returns the space for operands: the free space, and half of the space reserved for rings. Rings
 * work with any size. */
static uint64_t room_of_operands(const struct space* space, const struct levee_memory_info* memory)
{
    const uint64_t room = space_room(space, memory);
    return memory == NULL ? 0 : room + (space_left(space, memory) - room) / 2;
}

/* Sets aside a share of the free space, or more if the largest operand that fits needs it. If that
 * is too little for all queries of a chunk, sets aside all useful space. */
static struct shared set_aside(const struct placement* placement, struct job* job,
                               const struct tiling_rules* tiling)
{
    const struct tiling_request request = {job->model, placement->chunk, placing_width(job)};
    const struct levee_memory_info* memory = memory_of_tiles(&placement->space, job);
    const uint64_t room = space_room(&placement->space, memory);
    const uint64_t operands = room_of_operands(&placement->space, memory);
    job->activated = tiling->activated(&request, operands);
    const uint64_t operand = largest_reread(job, operands, placement->chunk);
    const uint64_t most = larger(tiling->most_bytes(&request), operand);
    uint64_t bytes = least(larger(room / SHARE, operand), least(room, most));
    if (tiling->queries(&request, bytes) != placement->chunk)
        bytes = least(room, most);
    return (struct shared){memory, tiling->queries(&request, bytes) != 0 ? bytes : 0, most,
                           larger(bytes, operand)};
}

/* Returns whether NORMED is read after another operand has been written. This happens in a parallel
 * layer, whose halves both read NORMED, and with experts after a shared expert. */
static bool normed_stays(const struct model* model)
{
    return (model->properties & MODEL_PARALLEL) || model->header.structure.shared_hidden != 0;
}

/* Returns the repeatedly read values of products that fit. */
static uint32_t values_that_share(const struct job* job, const struct load* load, uint64_t bytes)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < job->machine->reread_count; ++i)
        if (placing_bytes(job, load, job->machine->reread[i]) <= bytes)
            values |= VALUE_BIT(job->machine->reread[i]);
    if (normed_stays(job->model))
        values &= ~VALUE_BIT(VALUE_NORMED);
    return values;
}

/* Allocates all remaining useful space for tiles. All operands that share this space begin at its
 * first byte. */
static void take_shared(struct placement* placement, struct space* space, const struct job* job,
                        const struct shared* shared)
{
    const struct load load = placing_load_of_prefill(job, placement->chunk);
    placement->tile_bytes = least(space_room(space, shared->memory), shared->most);
    placement->tiles =
        space_take(space, shared->memory, larger(placement->tile_bytes, shared->operands));
    for (uint32_t i = 0; i < job->machine->reread_count; ++i) {
        const unsigned value = job->machine->reread[i];
        const uint64_t scale =
            placement->tiles + space_rounded(placing_extent(job, &load, value).data);
        if (placement->shared & VALUE_BIT(value))
            placement->prefill_values[value] = (struct operand){placement->tiles, scale};
    }
    placement->shared |=
        VALUE_BIT(VALUE_QUERY) | VALUE_BIT(VALUE_SCORES) | VALUE_BIT(VALUE_PROBABILITIES);
}

/* Places the activations of a tiled prefill, which has its own layout. */
static void place_tiled(struct placement* placement, const struct job* job,
                        const struct shared* shared)
{
    const struct machine_placing* machine = job->machine;
    const struct space before = placement->space;
    const struct load decode = placing_load_of_decode(job);
    const struct load prefill = placing_load_of_prefill(job, placement->chunk);
    struct space other = before;
    placing_take_all(&placement->space, job, &decode,
                     !placing_usual_order_suits(&before, job, &decode), placement->values);
    placement->shared = values_that_share(job, &prefill, shared->operands);
    space_reserve(&other, shared->memory, shared->bytes);
    for (uint32_t i = 0; i < machine->activation_count; ++i)
        if (!(placement->shared & VALUE_BIT(machine->activations[i])))
            placing_take(&other, job, &prefill, machine->activations[i], placement->prefill_values);
    space_unreserve(&other, &before);
    take_shared(placement, &other, job, shared);
    space_take_both(&placement->space, &other);
}

void placing_take_activations(struct placement* placement, const struct tiling_rules* tiling,
                              struct job* job)
{
    const uint32_t large = VALUE_BIT(VALUE_SCORES) | VALUE_BIT(VALUE_PROBABILITIES);
    const bool wanted = tiling != NULL &&
                        (job->policy->scores || !placing_whole_is_on_chip(&placement->space, job,
                                                                          placement->chunk, large));
    struct shared shared = {0};
    job->tiled = true; /* set_aside needs this flag, and also sets `activated` */
    if (wanted)
        shared = set_aside(placement, job, tiling);
    job->tiled = shared.bytes != 0;
    placement->activated = job->tiled ? job->activated : placement->chunk;
    placement->cache.prefill_forms.full.streamed = job->tiled;
    if (job->tiled)
        place_tiled(placement, job, &shared);
    else
        placing_take_whole(&placement->space, job, placement->chunk, placement->values,
                           placement->prefill_values, &placement->work);
}
