// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/residency.h"

#include "firmware/cache/hooks.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

/* The part of the cache that is in one memory with the role kv. */
struct region {
    struct store store;
    uint64_t capacity, taken; /* numbers of vectors, in whole slices */
    uint32_t slices;          /* number of slices placed */
    uint32_t whole_layers;    /* layers that fit together with all additional data of their hooks */
    uint32_t beside;          /* number of these layers with additional data in this memory */
    uint64_t keys, values;    /* Place of the first vector. */
};

struct residency {
    struct cache* cache;
    struct space* space;
    struct region regions[LEVEE_MAX_MEMORIES];
    uint32_t region_count;
    uint32_t current;                   /* index of the region that is being filled */
    uint8_t in_region[CACHE_MAX_PARTS]; /* Index of the region of each of the layer's parts. */
    uint64_t vectors;                   /* number of vectors in all layers */
};

static uint64_t layer_vectors(const struct cache* cache, uint32_t layer)
{
    return (uint64_t)cache->batch * cache->model->header.kv_heads * cache->layers[layer].slots;
}

/* Bytes that hooks store in addition to a layer's keys and values. */
static uint64_t bytes_beside(const struct cache* cache, uint32_t layer)
{
    uint64_t bytes = 0;
    if (cache->layers[layer].local)
        return 0;
    for (uint32_t i = 0; i < cache->hook_count; ++i)
        if (cache->hooks[i]->layer_bytes != NULL)
            bytes += cache->hooks[i]->layer_bytes(cache);
    return bytes;
}

/* Rounds `vectors` down so that they form whole slices, if all slices have the same size. */
static uint64_t of_slices(const struct residency* residency, uint64_t vectors)
{
    const struct cache* cache = residency->cache;
    const uint32_t layers = cache->model->header.layers;
    const bool alike = cache->full_layers == 0 || cache->full_layers == layers;
    return alike ? vectors - vectors % cache->layers->slots : vectors;
}

/* Returns how many vectors the first memory's register file can describe. This limits the region if
 * tokens have scores. */
static uint64_t most_described(const struct residency* residency, const struct region* region)
{
    const struct cache* cache = residency->cache;
    if (region != residency->regions || region->store.view_count == 0 ||
        !policy_weighs(cache->policy))
        return residency->vectors;
    return of_slices(residency, region->store.view_count);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first layers of the model, with the sizes of their slices and their additional data. */
struct first_layers {
    uint32_t count;
    uint32_t beside; /* number of these layers that have additional data */
    uint64_t vectors, bytes;
};

/* Returns the first layers with one more layer. If layers have additional data, these data are
 * placed alternately in the two halves of the memory. */
static struct first_layers with_next(const struct cache* cache, const struct first_layers* layers)
{
    const uint64_t beside = bytes_beside(cache, layers->count);
    struct first_layers next = *layers;
    next.vectors += layer_vectors(cache, next.count++);
    next.beside += beside != 0;
    next.bytes += layer_vectors(cache, layers->count) * cache->vector_bytes;
    if (next.beside % 2 != 0)
        next.bytes += beside;
    return next;
}

/* Fills an eDRAM that is divided into keys and values. A key and its value have the same offset in
 * their halves. A latent vector is both, and is in the keys' half. Two layers share one offset for
 * their additional data, with one layer in each half. Whole layers and their additional data come
 * first, and single slices after them. */
static void open_divided(struct residency* residency, struct region* region)
{
    const struct cache* cache = residency->cache;
    const uint64_t kept_free = (system_info()->kv.staging_bytes + 1) / 2;
    const uint64_t room = region->store.values > kept_free ? region->store.values - kept_free : 0;
    struct first_layers whole = {0, 0, 0, 0};
    while (whole.count < cache->model->header.layers) {
        const struct first_layers next = with_next(cache, &whole);
        if (next.bytes > room)
            break;
        whole = next;
    }
    const uint64_t fit = whole.vectors + (room - whole.bytes) / cache->vector_bytes;
    region->capacity = smaller(smaller(of_slices(residency, fit), residency->vectors),
                               most_described(residency, region));
    region->whole_layers = whole.beside;
    region->keys = region->store.memory->base;
    region->values = region->store.memory->base + region->store.values;
}

/* Fills an undivided memory. Keys and values get equal space, each rounded up. Latent vectors get
 * all of the space. If the last memory is too small, reserving the space fails, which ends the
 * run. */
static void open_plain(struct residency* residency, struct region* region, bool last)
{
    const uint64_t half =
        space_room(residency->space, region->store.memory) / cache_vectors(residency->cache);
    const uint64_t aligned = half - half % space_rounded(1);
    const uint64_t fit = last ? residency->vectors : aligned / residency->cache->vector_bytes;
    region->capacity = smaller(smaller(of_slices(residency, fit), residency->vectors),
                               most_described(residency, region));
}

/* Ends the run because `left` vectors fit into no region. */
static _Noreturn void refuse_rest(const struct residency* residency, uint64_t left)
{
    const struct region* last = &residency->regions[residency->region_count - 1];
    const struct levee_memory_info* memory = last->store.memory;
    if (last->capacity == most_described(residency, last))
        fatal(EXIT_REFUSED,
              "memory %s has %lu entries for scores, one byte per 32 bytes, but the cache has "
              "%lu slots of %lu bytes; expected a larger memory, or another one with the role kv "
              "after it",
              memory->name, (unsigned long)last->store.view_count,
              (unsigned long)residency->vectors, (unsigned long)residency->cache->vector_bytes);
    space_refuse(residency->space, memory, "kv",
                 cache_vectors(residency->cache) * left * residency->cache->vector_bytes, "keys");
}

static void open_regions(struct residency* residency, store_describe* describe)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i)
        if (info->memories[i].roles & LEVEE_ROLE_KV)
            describe(&info->memories[i], &residency->regions[residency->region_count++].store);
    if (residency->region_count == 0)
        space_refuse(residency->space, NULL, "kv", 0, "keys");
    uint64_t left = residency->vectors;
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

/* Returns how many more slices of a layer fit into a region. */
static uint32_t room_in(const struct residency* residency, uint32_t index,
                        const struct cache_layer* layer)
{
    const struct region* region = &residency->regions[index];
    const uint64_t most = smaller(region->capacity - region->taken, UINT32_MAX);
    return (uint32_t)most / layer->slots;
}

/* Places a rectangle of slices in the current region. */
static void add_part(struct residency* residency, struct cache_layer* layer, uint32_t entry,
                     uint32_t entries, uint32_t head, uint32_t heads)
{
    struct region* region = &residency->regions[residency->current];
    if (layer->part_count == CACHE_MAX_PARTS)
        fatal(EXIT_REFUSED,
              "keys and values of a layer are in more than %u parts of memories with the role "
              "kv; expected fewer or larger memories, or a smaller batch",
              CACHE_MAX_PARTS);
    residency->in_region[layer->part_count] = (uint8_t)residency->current;
    layer->parts[layer->part_count++] = (struct part){
        .entry = (uint16_t)entry,
        .entries = (uint16_t)entries,
        .head = (uint16_t)head,
        .heads = (uint16_t)heads,
        .keys = region->taken,
    };
    region->slices += entries * heads;
    region->taken += (uint64_t)entries * heads * layer->slots;
}

/* Returns whether single heads of an entry fill the rest of the current region. This is possible
 * only for a layer's first entry, and only if the next region can take the other heads. An entry
 * with additional data is never divided, because these data belong to all of its heads. */
static bool divides(const struct residency* residency, uint32_t layer, uint32_t entry)
{
    const struct cache* cache = residency->cache;
    const uint32_t heads = cache->model->header.kv_heads;
    const uint32_t left = room_in(residency, residency->current, &cache->layers[layer]);
    const uint32_t next = residency->current + 1;
    return entry == 0 && left != 0 && next < residency->region_count &&
           room_in(residency, next, &cache->layers[layer]) >= heads - left &&
           bytes_beside(cache, layer) == 0;
}

/* Returns the greatest number of entries whose keys, or whose values, together form an operand of
 * less than 4 GiB. */
static uint32_t most_entries(const struct cache* cache, const struct cache_layer* layer)
{
    const uint64_t head = (uint64_t)cache->vector_bytes * layer->slots;
    const uint64_t most = UINT32_MAX / (cache->model->header.kv_heads * head);
    return most == 0 ? 1 : (uint32_t)smaller(most, cache->batch);
}

/* Splits a layer into parts of whole entries. At most one entry is divided. Moves on to the next
 * region when one is full. */
static void split_layer(struct residency* residency, uint32_t index)
{
    const struct cache* cache = residency->cache;
    struct cache_layer* layer = &cache->layers[index];
    const uint32_t most = most_entries(cache, layer);
    const uint32_t heads = cache->model->header.kv_heads;
    for (uint32_t entry = 0; entry < cache->batch;) {
        const uint32_t left = room_in(residency, residency->current, layer);
        const uint32_t fit = (uint32_t)smaller(left / heads, most);
        if (fit != 0) {
            const uint32_t entries = fit < cache->batch - entry ? fit : cache->batch - entry;
            add_part(residency, layer, entry, entries, 0, heads);
            entry += entries;
        } else if (divides(residency, index, entry)) {
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
    const uint64_t bytes = region->taken * residency->cache->vector_bytes;
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
    if (region->store.values == 0 && residency->cache->value_bytes == 0)
        region->values = take(residency, region, "values");
}

/* Allocates keys, values and their scales. The scales are in the memory for tables, or in the spill
 * memory. They follow the slices of all memories except the last. In the last, the order is keys,
 * their scales, values, and their scales. */
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
    residency->cache->value_scales = residency->cache->value_bytes == 0
                                         ? take_scales(residency, "values")
                                         : residency->cache->key_scales;
}

/* Sets the addresses of a part. Until this call, the part's `keys` holds the number of its first
 * vector in the region. */
static void set_addresses(struct residency* residency, struct part* part, unsigned in_region)
{
    const struct cache* cache = residency->cache;
    const struct region* region = &residency->regions[in_region];
    const uint64_t first = part->keys;
    part->refreshed = region->store.refreshed;
    part->keys = region->keys + first * cache->vector_bytes;
    part->values = cache->value_bytes != 0 ? part->keys + cache->value_bytes
                                           : region->values + first * cache->vector_bytes;
    if (in_region == 0 && policy_weighs(cache->policy) && region->store.view_count != 0)
        part->views = region->store.memory->base + region->store.views + first;
}

/* Reserves a layer's additional data, in the memory of its slices after the slices, or in the spill
 * memory. */
static uint64_t take_beside(struct residency* residency, uint32_t index)
{
    const struct cache* cache = residency->cache;
    const uint64_t bytes = bytes_beside(cache, index);
    struct region* region = &residency->regions[residency->in_region[0]];
    if (cache->layers[index].part_count == 1 && region->beside < region->whole_layers) {
        const uint32_t number = region->beside++;
        return (number % 2 == 0 ? region->keys : region->values) +
               space_rounded(region->taken * cache->vector_bytes) + number / 2 * bytes;
    }
    return space_take(residency->space,
                      space_find(residency->space, LEVEE_ROLE_SPILL, LEVEE_ROLE_SPILL, bytes,
                                 "records kept with keys and values"),
                      bytes);
}

static void place_beside(struct residency* residency, uint32_t index)
{
    const struct cache* cache = residency->cache;
    if (bytes_beside(cache, index) == 0)
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

/* Returns the greatest number of bytes that hooks store in addition to a layer's keys and
 * values. */
static uint64_t most_beside(const struct cache* cache)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < cache->model->header.layers; ++i)
        if (bytes_beside(cache, i) > most)
            most = bytes_beside(cache, i);
    return most;
}

/* Records how much of a memory is used. The first memory has space for the additional data of all
 * counted layers. Later memories have space only for the layers placed in them. */
static void keep_region(const struct residency* residency, uint32_t index)
{
    struct cache* cache = residency->cache;
    const struct region* region = &residency->regions[index];
    const uint32_t layers = index == 0 ? region->whole_layers : region->beside;
    const unsigned memory = (unsigned)(region->store.memory - system_info()->memories);
    cache->refreshed |= (region->store.refreshed ? 1u : 0u) << memory;
    if (region->store.values != 0)
        cache->half_bytes[memory] = space_rounded(region->taken * cache->vector_bytes) +
                                    (layers + 1) / 2 * most_beside(cache);
}

void residency_place(struct cache* cache, struct space* space, store_describe* describe)
{
    const uint32_t layers = cache->model->header.layers;
    static struct residency residency;
    uint8_t(*in_region)[CACHE_MAX_PARTS] = heap_take(layers * sizeof *in_region, "a table");
    residency = (struct residency){
        .cache = cache, .space = space, .vectors = cache_slot_index(cache, layers, 0, 0)};
    open_regions(&residency, describe);
    for (uint32_t i = 0; i < layers; ++i) {
        split_layer(&residency, i);
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
    if (cache->store.refreshed) {
        cache->resident_slices = residency.regions[0].slices;
        cache->resident_vectors = residency.regions[0].taken;
    }
}
