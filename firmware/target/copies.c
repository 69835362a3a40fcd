// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/copies.h"

#include "core/abi/tag_names.h"
#include "firmware/drivers/descriptor.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"
#include "firmware/target/slots/dma_copy.h"

#include <stddef.h>

#define COUNTER 0u /* every pass begins with this counter at 0 */

void copies_open(struct copies* copies, const struct cache* cache, const struct units* units,
                 const char* key)
{
    const struct machine_part* attention = machine_attention(units->machine);
    const struct unit_range* range = units_of(units, &class_dma);
    if (attention->keeps_vectors)
        fatal(EXIT_REFUSED,
              "%s: scheduler %s: attention by %s keeps keys and values inside its own block, where "
              "no block can copy them; remove this key",
              key, units->machine->name, attention->name);
    copies->cache = cache;
    if (range != NULL && range->count != 0) {
        copies->queue = &units->queues[range->first];
    } else if (system_block(LEVEE_BLOCK_DMA) != NULL) {
        copies->queue = &copies->own;
        dma_open(copies->queue);
    }
}

static bool pushed_and_done(void* context)
{
    struct copies* copies = context;
    const uint32_t rest = copies->count - copies->submitted;
    if (rest != 0) {
        const uint32_t room = command_queue_room(copies->queue, rest);
        const uint32_t now = room < rest ? room : rest;
        if (now != 0)
            command_queue_submit(copies->queue, &copies->descriptors[copies->submitted], now);
        copies->submitted += now;
    }
    return sync_reached();
}

static void run(struct copies* copies)
{
    if (copies->count == 0)
        return;
    copies->submitted = 0;
    sync_set(COUNTER, 0);
    sync_arm(COUNTER, copies->count);
    irq_wait_until(pushed_and_done, copies);
    copies->count = 0;
}

/* The range that begins with `first` and ends before `end`. */
struct range {
    uint32_t first, end;
};

/* Returns the range of heads that both of these parts have. The parts belong to two entries. */
static struct range common_heads(const struct slices* a, const struct slices* b)
{
    const uint32_t end_a = a->head + a->heads, end_b = b->head + b->heads;
    return (struct range){a->head > b->head ? a->head : b->head, end_a < end_b ? end_a : end_b};
}

/* Elements or scales of slices. They take `bytes` per token, and `stride` is the distance from head
 * to head. */
struct table {
    uint32_t operation; /* operation whose name timelines show */
    uint64_t address;
    int32_t stride;
    uint32_t bytes;
};

static void skip(struct table* table, uint32_t heads, uint32_t tokens)
{
    table->address += (uint64_t)heads * (uint32_t)table->stride + (uint64_t)tokens * table->bytes;
}

static void add(struct copies* copies, uint32_t layer, const struct table* from,
                const struct table* to, uint32_t heads, uint32_t tokens)
{
    if (copies->count == COPIES_AT_ONCE)
        run(copies);
    struct levee_descriptor* descriptor = &copies->descriptors[copies->count++];
    descriptor_init(descriptor, LEVEE_DMA_COPY, LEVEE_TAG(layer, from->operation));
    struct levee_dma_operation* out = dma_copy(descriptor, false);
    out->source = from->address;
    out->destination = to->address;
    dma_stride(out->source_stride, 0, from->stride, 0);
    dma_stride(out->destination_stride, 0, to->stride, 0);
    dma_count(out, 1, heads, 1);
    out->run_bytes = tokens * from->bytes;
    descriptor_signal(descriptor, 0, COUNTER);
}

/* Lists the tables of a layer's slices: keys, values and their scales. A latent vector is both
 * key and value, and is listed once. */
static uint32_t list_tables(const struct cache* cache, const struct slices* slices,
                            struct table tables[4])
{
    const uint32_t bytes = cache->vector_bytes;
    const int32_t stride = slices->stride[1], scale_stride = slices->scale_stride[1];
    uint32_t count = 0;
    tables[count++] = (struct table){OPERATION_GATHER_KEYS, slices->keys, stride, bytes};
    if (cache->scaled)
        tables[count++] = (struct table){OPERATION_GATHER_KEY_SCALES, slices->key_scales,
                                         scale_stride, WORD_BYTES};
    if (cache->value_bytes != 0)
        return count;
    tables[count++] = (struct table){OPERATION_GATHER_VALUES, slices->values, stride, bytes};
    if (cache->scaled)
        tables[count++] = (struct table){OPERATION_GATHER_VALUE_SCALES, slices->value_scales,
                                         scale_stride, WORD_BYTES};
    return count;
}

/* Copies those heads that both the source's part and the destination's part have. */
static void add_parts(struct copies* copies, uint32_t layer, const struct slices* source,
                      const struct slices* destination, struct range slots)
{
    const struct range heads = common_heads(source, destination);
    struct table from[4], to[4];
    const uint32_t count = list_tables(copies->cache, source, from);
    (void)list_tables(copies->cache, destination, to);
    for (uint32_t i = 0; heads.first < heads.end && i < count; ++i) {
        skip(&from[i], heads.first - source->head, slots.first);
        skip(&to[i], heads.first - destination->head, slots.first);
        add(copies, layer, &from[i], &to[i], heads.end - heads.first, slots.end - slots.first);
    }
}

static void add_layer(struct copies* copies, uint32_t layer, const struct pass* source,
                      const struct pass* destination, struct range slots)
{
    const struct cache* cache = copies->cache;
    const uint32_t sources = cache_parts(cache, source, layer);
    const uint32_t destinations = cache_parts(cache, destination, layer);
    for (uint32_t i = 0; i < sources; ++i)
        for (uint32_t j = 0; j < destinations; ++j) {
            const struct slices of = cache_slices(cache, source, layer, i);
            const struct slices at = cache_slices(cache, destination, layer, j);
            add_parts(copies, layer, &of, &at, slots);
        }
}

void copies_run(struct copies* copies, const struct pass* source, const struct pass* destination,
                uint32_t from, uint32_t to)
{
    const struct range slots = {from, to};
    for (uint32_t layer = 0; layer < copies->cache->model->header.layers; ++layer)
        add_layer(copies, layer, source, destination, slots);
    run(copies);
}

/* A series of copies to or from packed data. */
struct packed {
    enum packing_way way;
    const struct levee_memory_info* memory;
    uint64_t next, bytes; /* next address, and bytes so far */
};

static bool lies_in(const struct levee_memory_info* memory, uint64_t address)
{
    return address - memory->base < memory->size;
}

static void pack_table(struct copies* copies, uint32_t layer, struct packed* packed,
                       const struct table* slots, uint32_t heads, uint32_t tokens)
{
    const uint32_t of_head = tokens * slots->bytes;
    const struct table place = {slots->operation, packed->next, (int32_t)of_head, slots->bytes};
    if (lies_in(packed->memory, slots->address))
        return;
    if (packed->way == PACKING_SAVES)
        add(copies, layer, slots, &place, heads, tokens);
    else if (packed->way == PACKING_RESUMES)
        add(copies, layer, &place, slots, heads, tokens);
    packed->next += space_rounded((uint64_t)heads * of_head);
    packed->bytes += (uint64_t)heads * of_head;
}

uint64_t copies_pack(struct copies* copies, const struct pass* entry, const struct packing* packing,
                     uint32_t tokens, enum packing_way way)
{
    const struct cache* cache = copies->cache;
    struct packed packed = {way, packing->memory, packing->address, 0};
    for (uint32_t layer = 0; tokens != 0 && layer < cache->model->header.layers; ++layer)
        for (uint32_t part = 0; part < cache_parts(cache, entry, layer); ++part) {
            const struct slices slices = cache_slices(cache, entry, layer, part);
            struct table tables[4];
            const uint32_t count = list_tables(cache, &slices, tables);
            for (uint32_t i = 0; i < count; ++i)
                pack_table(copies, layer, &packed, &tables[i], slices.heads, tokens);
        }
    run(copies);
    return way == PACKING_COUNTS ? packed.next - packing->address : packed.bytes;
}
