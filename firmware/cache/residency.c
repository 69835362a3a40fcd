// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/residency.h"

#include "firmware/cache/hooks.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

/* What one memory with the role kv takes of the cache. */
struct region {
    struct store store;
    uint32_t capacity, taken; /* slices */
    uint32_t whole_layers;    /* layers that have room with all that hooks keep beside them */
    uint32_t beside;          /* of these, how many have it there */
    uint64_t keys, values;    /* where slice 0 lies */
};

struct residency {
    struct cache* cache;
    struct space* space;
    struct region regions[LEVEE_MAX_MEMORIES];
    uint32_t region_count;
    uint32_t current;                   /* region being filled */
    uint8_t in_region[CACHE_MAX_PARTS]; /* of the layer's parts */
    uint32_t slices;                    /* of all layers */
    uint32_t most_entries;              /* of a part */
};

static uint32_t slices_of_layer(const struct cache* cache)
{
    return cache->batch * cache->model->header.kv_heads;
}

static uint64_t slice_bytes(const struct cache* cache)
{
    return (uint64_t)cache->vector_bytes * cache->slots;
}

/* What hooks keep beside a layer's keys and values. */
static uint64_t bytes_beside(const struct cache* cache)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->layer_bytes != NULL)
            bytes += cache->hooks[i]->layer_bytes(cache);
    return bytes;
}

/* Slices that the register file has entries for, where tokens are weighed: the first memory's. */
static uint64_t most_described(const struct residency* residency, const struct region* region)
{
    const struct cache* cache = residency->cache;
    if (region != residency->regions || region->store.view_count == 0 ||
        !policy_weighs(cache->policy))
        return residency->slices;
    return region->store.view_count / cache->slots;
}

static uint32_t smaller(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Fills a divided eDRAM: keys and values are at the same offsets of both halves; what lies beside
 * them is at one offset for two layers, a half each. Whole layers come first, with that; then
 * single slices. */
static void open_divided(struct residency* residency, struct region* region)
{
    const struct cache* cache = residency->cache;
    const uint64_t kept_free = (system_info()->kv.staging_bytes + 1) / 2;
    const uint64_t room = region->store.values > kept_free ? region->store.values - kept_free : 0;
    const uint64_t layer = slices_of_layer(cache) * slice_bytes(cache);
    const uint64_t beside = bytes_beside(cache);
    uint32_t whole = 0;
    while (whole < cache->model->header.layers &&
           (whole + 1) * layer + (whole + 2) / 2 * beside <= room)
        ++whole;
    const uint64_t taken = whole * layer + (whole + 1) / 2 * beside;
    const uint64_t fit =
        (uint64_t)whole * slices_of_layer(cache) + (room - taken) / slice_bytes(cache);
    region->capacity = smaller(smaller(fit, residency->slices), most_described(residency, region));
    region->whole_layers = beside != 0 ? whole : 0;
    region->keys = region->store.memory->base;
    region->values = region->store.memory->base + region->store.values;
}

/* Keys and values take the same room, each rounded up. What the last memory has no room for is
 * refused when it is taken. */
static void open_plain(struct residency* residency, struct region* region, bool last)
{
    const uint64_t half = space_room(residency->space, region->store.memory) / 2;
    const uint64_t aligned = half - half % space_rounded(1);
    const uint64_t fit = last ? residency->slices : aligned / slice_bytes(residency->cache);
    region->capacity = smaller(smaller(fit, residency->slices), most_described(residency, region));
}

/* So many slices are left that no region takes. */
static _Noreturn void refuse_rest(const struct residency* residency, uint64_t left)
{
    const struct region* last = &residency->regions[residency->region_count - 1];
    const struct levee_memory_info* memory = last->store.memory;
    if (last->capacity == most_described(residency, last))
        fatal(EXIT_REFUSED,
              "memory %s has %lu entries for scores, a byte for 32 bytes; the cache has %lu slots "
              "of %lu bytes: a memory with the role kv behind it, or a larger one, is needed",
              memory->name, (unsigned long)last->store.view_count,
              (unsigned long)residency->slices * residency->cache->slots,
              (unsigned long)residency->cache->vector_bytes);
    space_refuse(residency->space, memory, "kv", 2 * left * slice_bytes(residency->cache), "keys");
}

static void open_regions(struct residency* residency, store_describe* describe)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i)
        if (info->memories[i].roles & LEVEE_ROLE_KV)
            describe(&info->memories[i], &residency->regions[residency->region_count++].store);
    if (residency->region_count == 0)
        space_refuse(residency->space, NULL, "kv", 0, "keys");
    uint64_t left = residency->slices;
    for (uint32_t i = 0; i < residency->region_count; ++i) {
        struct region* region = &residency->regions[i];
        if (region->store.values != 0)
            open_divided(residency, region);
        else
            open_plain(residency, region, i + 1 == residency->region_count);
        left -= region->capacity < left ? region->capacity : left;
    }
    if (left != 0)
        refuse_rest(residency, left);
}

static uint32_t room_in(const struct residency* residency, uint32_t index)
{
    const struct region* region = &residency->regions[index];
    return region->capacity - region->taken;
}

/* Places a rectangle in the region being filled. */
static void add_part(struct residency* residency, struct cache_layer* layer, uint32_t entry,
                     uint32_t entries, uint32_t head, uint32_t heads)
{
    struct region* region = &residency->regions[residency->current];
    if (layer->part_count == CACHE_MAX_PARTS)
        fatal(EXIT_REFUSED,
              "keys and values of a layer lie in more than %u parts of memories with the role kv: "
              "fewer of these, or larger ones, are needed, or a smaller batch",
              CACHE_MAX_PARTS);
    residency->in_region[layer->part_count] = (uint8_t)residency->current;
    layer->parts[layer->part_count++] = (struct part){
        .entry = (uint16_t)entry,
        .entries = (uint16_t)entries,
        .head = (uint16_t)head,
        .heads = (uint16_t)heads,
        .keys = region->taken,
    };
    region->taken += entries * heads;
}

/* Whether single heads of an entry fill what is left of the region that is being filled: of a
 * layer's first entry, if the next region takes the others and heads need not be together (what
 * lies beside a layer belongs to an entry's heads in common). */
static bool divides(const struct residency* residency, uint32_t entry, uint32_t heads)
{
    const uint32_t left = room_in(residency, residency->current);
    const uint32_t next = residency->current + 1;
    return entry == 0 && left != 0 && next < residency->region_count &&
           room_in(residency, next) >= heads - left && bytes_beside(residency->cache) == 0;
}

/* Entries whose keys, or values, are an operand of less than 4 GiB. */
static uint32_t most_entries(const struct cache* cache)
{
    const uint64_t most = UINT32_MAX / (cache->model->header.kv_heads * slice_bytes(cache));
    return most == 0 ? 1 : smaller(most, cache->batch);
}

/* Whole entries, but for one that is divided. A region that takes no more is left. */
static void split_layer(struct residency* residency, struct cache_layer* layer)
{
    const struct cache* cache = residency->cache;
    const uint32_t heads = cache->model->header.kv_heads;
    for (uint32_t entry = 0; entry < cache->batch;) {
        const uint32_t left = room_in(residency, residency->current);
        const uint32_t fit = smaller(left / heads, residency->most_entries);
        if (fit != 0) {
            const uint32_t entries = fit < cache->batch - entry ? fit : cache->batch - entry;
            add_part(residency, layer, entry, entries, 0, heads);
            entry += entries;
        } else if (divides(residency, entry, heads)) {
            add_part(residency, layer, 0, 1, 0, left);
            ++residency->current;
            add_part(residency, layer, 0, 1, left, heads - left);
            entry = 1;
        } else if (++residency->current == residency->region_count) {
            fatal(EXIT_REFUSED,
                  "the cache of %lu entries of %lu heads does not fit the memories with the role "
                  "kv: a shorter context, a smaller batch or larger memories are needed",
                  (unsigned long)cache->batch, (unsigned long)heads);
        }
    }
}

static uint64_t take(struct residency* residency, struct region* region, const char* what)
{
    const uint64_t bytes = region->taken * slice_bytes(residency->cache);
    if (bytes == 0)
        return 0;
    if (space_room(residency->space, region->store.memory) < space_rounded(bytes))
        space_refuse(residency->space, region->store.memory, "kv", bytes, what);
    return space_take(residency->space, region->store.memory, bytes);
}

static uint64_t take_scales(struct residency* residency, const char* what)
{
    const struct cache* cache = residency->cache;
    const uint64_t bytes = 4 * cache_slot_index(cache, cache->model->header.layers, 0, 0);
    if (!cache->scaled)
        return 0;
    const struct levee_memory_info* memory = space_find(
        residency->space, LEVEE_ROLE_STATE, LEVEE_ROLE_SPILL, space_rounded(bytes), what);
    return space_take(residency->space, memory, bytes);
}

static void take_keys(struct residency* residency, struct region* region)
{
    if (region->store.values == 0)
        region->keys = take(residency, region, "keys");
}

static void take_values(struct residency* residency, struct region* region)
{
    if (region->store.values == 0)
        region->values = take(residency, region, "values");
}

/* Scales come behind the slices of all memories but the last: these were counted into the room that
 * there is without scales. */
static void take_data(struct residency* residency)
{
    struct region* last = &residency->regions[residency->region_count - 1];
    for (struct region* region = residency->regions; region != last; ++region) {
        take_keys(residency, region);
        take_values(residency, region);
    }
    take_keys(residency, last);
    residency->cache->key_scales = take_scales(residency, "keys");
    take_values(residency, last);
    residency->cache->value_scales = take_scales(residency, "values");
}

/* A part's keys are still the number of its first slice in the region. */
static void set_addresses(struct residency* residency, struct part* part, unsigned in_region)
{
    const struct cache* cache = residency->cache;
    const struct region* region = &residency->regions[in_region];
    const uint64_t first = part->keys;
    part->refreshed = region->store.refreshed;
    part->keys = region->keys + first * slice_bytes(cache);
    part->values = region->values + first * slice_bytes(cache);
    if (in_region == 0 && policy_weighs(cache->policy) && region->store.view_count != 0)
        part->views = region->store.memory->base + region->store.views + first * cache->slots;
}

/* Behind the slices of the layer's memory, or with everything else that finds no room. */
static uint64_t take_beside(struct residency* residency, uint32_t index)
{
    const struct cache* cache = residency->cache;
    const uint64_t bytes = bytes_beside(cache);
    struct region* region = &residency->regions[residency->in_region[0]];
    if (cache->layers[index].part_count == 1 && region->beside < region->whole_layers) {
        const uint32_t number = region->beside++;
        return (number % 2 == 0 ? region->keys : region->values) +
               space_rounded(region->taken * slice_bytes(cache)) + number / 2 * bytes;
    }
    return space_take(residency->space,
                      space_find(residency->space, LEVEE_ROLE_SPILL, LEVEE_ROLE_SPILL, bytes,
                                 "what is kept beside keys and values"),
                      bytes);
}

static void place_beside(struct residency* residency, uint32_t index)
{
    const struct cache* cache = residency->cache;
    if (bytes_beside(cache) == 0)
        return;
    uint64_t address = take_beside(residency, index);
    for (uint32_t i = 0; i < cache->hook_count; ++i) {
        const struct cache_hooks* hooks = cache->hooks[i];
        if (hooks->layer_bytes == NULL)
            continue;
        hooks->place_layer(cache, index, address);
        address += hooks->layer_bytes(cache);
    }
}

/* What is known of a memory later. Room beside slices: in the first memory for all layers that were
 * counted, in later ones for those that are there. */
static void keep_region(const struct residency* residency, uint32_t index)
{
    struct cache* cache = residency->cache;
    const struct region* region = &residency->regions[index];
    const uint32_t layers = index == 0 ? region->whole_layers : region->beside;
    const unsigned memory = (unsigned)(region->store.memory - system_info()->memories);
    cache->refreshed |= (region->store.refreshed ? 1u : 0u) << memory;
    if (region->store.values != 0)
        cache->half_bytes[memory] = space_rounded(region->taken * slice_bytes(cache)) +
                                    (layers + 1) / 2 * bytes_beside(cache);
}

void residency_place(struct cache* cache, struct space* space, store_describe* describe)
{
    const uint32_t layers = cache->model->header.layers;
    static struct residency residency;
    uint8_t(*in_region)[CACHE_MAX_PARTS] = heap_take(layers * sizeof *in_region, "a table");
    residency = (struct residency){.cache = cache,
                                   .space = space,
                                   .slices = layers * slices_of_layer(cache),
                                   .most_entries = most_entries(cache)};
    open_regions(&residency, describe);
    for (uint32_t i = 0; i < layers; ++i) {
        split_layer(&residency, &cache->layers[i]);
        for (unsigned part = 0; part < CACHE_MAX_PARTS; ++part)
            in_region[i][part] = residency.in_region[part];
    }
    take_data(&residency);
    for (uint32_t i = 0; i < layers; ++i) {
        struct cache_layer* layer = &cache->layers[i];
        for (uint32_t part = 0; part < layer->part_count; ++part)
            set_addresses(&residency, &layer->parts[part], in_region[i][part]);
        residency.in_region[0] = in_region[i][0];
        place_beside(&residency, i);
    }
    for (uint32_t i = 0; i < residency.region_count; ++i)
        keep_region(&residency, i);
    cache->store = residency.regions[0].store;
    if (cache->store.refreshed)
        cache->resident_slices = residency.regions[0].taken;
}
