// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/opening.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/system.h"
#include "firmware/target/common.h"
#include "firmware/target/placement.h"
#include "firmware/target/refresh/refresh.h"
#include "firmware/target/systolic/rings.h"
#include "firmware/target/systolic/rows.h"
#include "firmware/target/systolic/tiles.h"

#include <math.h>
#include <stddef.h>

static void open_layers(struct common* common, bool staged, const struct cache* cache)
{
    const uint32_t layers = cache->model->header.layers;
    common->layers = heap_take(layers * sizeof *common->layers, "the layers");
    for (uint32_t i = 0; i < layers; ++i) {
        struct layer_tables* layer = &common->layers[i];
        if (staged || cache->inputs != NULL || cache->listing.width != 0)
            layer->parts = heap_take((cache->one_part != NULL ? 1 : cache->layers[i].part_count) *
                                         sizeof *layer->parts,
                                     "a table");
        if (cache->inputs != NULL)
            layer->formats = heap_take(sizeof *layer->formats, "a table");
    }
}

static struct common* common_open(const struct machine* machine, const struct placement* placement)
{
    const struct cache* cache = &placement->cache;
    struct common* common = heap_take(sizeof *common, "the machine");
    common->score_scale = 1.0f / sqrtf((float)cache->model->header.head_dim);
    common->array_columns = rsa_columns();
    if (machine_has(machine, &part_rings))
        rings_place(&common->rings, &placement->space, cache);
    if (machine->tiling != NULL) {
        const struct levee_memory_info* activations = system_memory(LEVEE_ROLE_ACTIVATIONS);
        const bool refreshed =
            machine->last_reads && placement->tiles - activations->base < activations->size;
        tiles_open(&common->tiling, placement, refreshed);
        common->rows_add = rows_add(cache->model, placement);
    }
    open_layers(common, machine->staged, cache);
    return common;
}

void machine_reserve(const struct machine* machine, struct space* space)
{
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i]->reserve != NULL)
            machine->parts[i]->reserve(space);
}

static bool was_opened(const struct machine* machine, uint32_t part)
{
    for (uint32_t i = 0; i < part; ++i)
        if (machine->parts[i]->open == machine->parts[part]->open)
            return true;
    return false;
}

void machine_open(struct machine* machine, struct lowering* lowering)
{
    machine->last_reads = machine_weights(machine)->last_reads &&
                          machine_attention(machine)->last_reads && refresh_of_activations();
    lowering->machine = machine;
    lowering->common = common_open(machine, lowering->placement);
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i]->open != NULL && !was_opened(machine, i))
            machine->parts[i]->open(machine, lowering->placement);
}

void machine_start(const struct lowering* lowering)
{
    const struct machine* machine = lowering->machine;
    refresh_start(lowering);
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i]->start != NULL)
            machine->parts[i]->start(lowering);
}

void machine_new_batch(const struct lowering* lowering)
{
    refresh_new_batch(lowering);
}

bool machine_refreshes(const struct levee_memory_info* memory)
{
    struct store store;
    refresh_describe(memory, &store);
    return store.refreshed;
}

void machine_list_new_batch(const struct lowering* lowering, struct operation_list* list)
{
    const struct machine* machine = lowering->machine;
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i]->list_new_batch != NULL)
            machine->parts[i]->list_new_batch(lowering, list);
}

void machine_report(const struct lowering* lowering)
{
    const struct machine* machine = lowering->machine;
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i]->report != NULL &&
            (i == 0 || machine->parts[i]->report != machine->parts[i - 1]->report))
            machine->parts[i]->report(lowering);
}
