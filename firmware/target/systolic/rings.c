// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/rings.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"
#include "firmware/target/slots/dma_copy.h"
#include "firmware/target/systolic/parts.h"

#include <stdbool.h>
#include <stddef.h>

#define SHARE 4u /* a quarter of a memory for each ring */
#define ALIGNMENT 64u

static const uint32_t roles[] = {LEVEE_ROLE_WEIGHTS_RING, LEVEE_ROLE_KV_RING};

static bool is_divided(const struct levee_memory_info* memory)
{
    struct edram edram;
    edram_open(&edram, memory);
    return edram.values != 0;
}

static uint64_t share_of(const struct levee_memory_info* memory)
{
    return memory->size / SHARE / ALIGNMENT * ALIGNMENT;
}

static void reserve(struct space* space)
{
    for (unsigned i = 0; i < 2; ++i) {
        const struct levee_memory_info* memory = system_memory(roles[i]);
        if (memory != NULL && !is_divided(memory))
            space_reserve(space, memory, share_of(memory));
    }
}

/* Places rings in the eDRAM's halves, in the space after slices and inputs. */
static void place_divided(struct rings* rings, const struct cache* cache)
{
    struct ring* ring = &rings->kv;
    const uint64_t half = rings->edram.values;
    const uint64_t used = space_rounded(cache_half_bytes(cache, ring->memory));
    ring->other_half = half;
    ring->address = ring->memory->base + used;
    ring->bytes = used < half ? (uint32_t)(half - used) : 0;
}

/* Assigns register file entries to the ring. They follow the entries of resident slices, which only
 * the first memory with the role kv has. Firmware does not know which tokens will pass through the
 * ring, so it gives high scores to half of the entries. */
static void place_views(struct rings* rings, const struct cache* cache)
{
    const bool holds_cache = rings->kv.memory == system_memory(LEVEE_ROLE_KV);
    const uint32_t described = holds_cache ? (uint32_t)cache->resident_vectors : 0;
    if (!policy_weighs(cache->policy) || rings->edram.score_count <= described)
        return;
    const uint32_t room = rings->edram.score_count - described;
    const uint32_t vectors = rings->kv.bytes / cache->vector_bytes;
    rings->first_view = described;
    rings->vectors = vectors < room ? vectors : room;
    rings->views = rings->kv.memory->base + rings->edram.scores + described;
}

/* Gives ring number `i` its part of the space that is left in a memory. `sharers` rings divide this
 * space evenly. */
static void place_rest(struct ring* ring, const struct space* space, unsigned sharers, unsigned i)
{
    const uint64_t left = space_left(space, ring->memory) / sharers;
    const uint64_t bytes = left < UINT32_MAX ? left : UINT32_MAX;
    ring->bytes = (uint32_t)(bytes / ALIGNMENT * ALIGNMENT);
    ring->address = space_first_free(space, ring->memory) + (sharers > 1 ? i * ring->bytes : 0);
}

void rings_place(struct rings* rings, const struct space* space, const struct cache* cache)
{
    const struct levee_memory_info* weights = system_memory(LEVEE_ROLE_WEIGHTS_RING);
    const struct levee_memory_info* kv = system_memory(LEVEE_ROLE_KV_RING);
    const unsigned sharers = weights == kv ? 2 : 1;
    *rings = (struct rings){.weights.memory = weights, .kv.memory = kv};
    edram_open(&rings->edram, kv);
    if (weights != NULL)
        place_rest(&rings->weights, space, sharers, 0);
    if (kv == NULL)
        return;
    if (rings->edram.values == 0) {
        place_rest(&rings->kv, space, sharers, 1);
        return;
    }
    place_divided(rings, cache);
    place_views(rings, cache);
}

/* Gives array `index` of `arrays` its part of the ring. Arrays divide a ring, and the queues of
 * one array share its part. */
static void set_ring(const struct levee_block_info* array, enum rsa_ring number,
                     const struct ring* ring, uint32_t index, uint32_t arrays)
{
    const uint32_t part = ring->bytes / arrays / ALIGNMENT * ALIGNMENT;
    const uint32_t bytes = arrays > 1 ? part : ring->bytes;
    const struct rsa_ring_place place = {ring->address + (uint64_t)index * bytes, bytes,
                                         (uint32_t)ring->other_half};
    if (ring->memory != NULL)
        rsa_set_ring(array, number, &place);
}

/* Returns the index of the array to which the block belongs: the block is the array itself, or one
 * of its queues. */
static uint32_t array_index(const struct levee_block_info* block)
{
    const struct levee_block_info* blocks = system_info()->blocks;
    const struct levee_block_info* owner = block->shares == 0 ? block : &blocks[block->shares - 1];
    uint32_t index = 0;
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    for (; array != NULL && array != owner; array = system_block_after(array))
        index += array->shares == 0;
    return index;
}

/* Programs the arrays' registers, and describes the ring in the eDRAM's register file. */
static void start(const struct lowering* lowering)
{
    const struct rings* rings = &lowering->common->rings;
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t arrays = rsa_count();
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    for (; array != NULL; array = system_block_after(array)) {
        set_ring(array, RSA_RING_WEIGHTS, &rings->weights, array_index(array), arrays);
        set_ring(array, RSA_RING_KV, &rings->kv, array_index(array), arrays);
    }
    if (rings->views == 0)
        return;
    const struct edram_region region = {
        .offset = (uint32_t)(rings->kv.address - rings->kv.memory->base),
        .vector_bytes = cache->vector_bytes,
        .first_entry = rings->first_view,
        .vectors = rings->vectors,
        .bits = cache->form.bits,
    };
    edram_set_region(&rings->edram, 1, &region);
}

/* Returns whether the ring for keys and values is in memory that needs refresh. */
static bool is_refreshed(const struct lowering* lowering)
{
    const struct rings* rings = &lowering->common->rings;
    return rings->edram.block != NULL && rings->kv.bytes != 0;
}

/* Reports ring.weights_bytes and ring.kv_bytes. */
static void report(const struct lowering* lowering)
{
    const struct rings* rings = &lowering->common->rings;
    if (rings->weights.memory != NULL)
        hostlink_metric_u64("ring.weights_bytes", rings->weights.bytes);
    if (rings->kv.memory != NULL)
        hostlink_metric_u64("ring.kv_bytes", rings->kv.bytes);
}

/* Appends the reset operation that marks refreshed rows as valid. */
static void list_reset(const struct lowering* lowering, struct operation_list* list)
{
    if (!is_refreshed(lowering))
        return;
    if (lowering->common->rings.vectors > 1)
        operation_append(list, &(struct operation){.kind = OPERATION_RESET_RING_VIEWS,
                                                   .writes = VALUE_TABLES,
                                                   .layer = LEVEE_NO_LAYER});
    operation_append(list, &(struct operation){.kind = OPERATION_RESET_RING,
                                               .writes = VALUE_KEYS,
                                               .also_writes = VALUE_BIT(VALUE_VALUES),
                                               .layer = LEVEE_NO_LAYER});
}

static void lower_reset_ring(const struct lowering* lowering, const struct pass* pass,
                             const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    const struct ring* ring = &lowering->common->rings.kv;
    struct levee_dma_operation* out = dma_fill(descriptor, false, ring->address, ring->bytes, 0);
    out->count[0] = ring->other_half != 0 ? 2 : 1;
    out->destination_stride[0] = (int64_t)ring->other_half;
}

static void lower_reset_ring_views(const struct lowering* lowering, const struct pass* pass,
                                   const struct operation* operation,
                                   struct levee_descriptor* descriptor)
{
    (void)pass, (void)operation;
    const struct rings* rings = &lowering->common->rings;
    (void)dma_fill(descriptor, true, rings->views, rings->vectors / 2, LEVEE_SE_VIEW_HIGH);
}

static bool serves(const struct machine* machine, const struct policy* policy)
{
    (void)policy;
    return machine_has(machine, &part_systolic_weights) ||
           machine_has(machine, &part_systolic_attention);
}

static const struct part_row rows[] = {
    {OPERATION_RESET_RING, {.unit = &class_dma, .lower = lower_reset_ring}},
    {OPERATION_RESET_RING_VIEWS, {.unit = &class_dma, .lower = lower_reset_ring_views}},
};

const struct machine_part part_rings = {
    .name = "rings",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
    .is_used = is_refreshed,
    .reserve = reserve,
    .start = start,
    .list_new_batch = list_reset,
    .report = report,
};
