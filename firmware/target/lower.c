// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/lower.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/system.h"
#include "firmware/target/systolic/rows.h"

#include <math.h>
#include <stddef.h>

const struct unit_class class_array = {
    .type = LEVEE_BLOCK_RSA, .name = "systolic array", .capacity = rsa_pe_count};
const struct unit_class class_array_kv = {.type = LEVEE_BLOCK_RSA,
                                          .name = "systolic array",
                                          .otherwise = &class_array,
                                          .capacity = rsa_pe_count};
const struct unit_class class_functions = {.type = LEVEE_BLOCK_SFU, .name = "function unit"};
const struct unit_class class_dma = {.type = LEVEE_BLOCK_DMA, .name = "DMA engine"};
const struct unit_class class_evictor = {.type = LEVEE_BLOCK_SYSTOLIC_EVICTOR,
                                         .name = "systolic evictor"};

bool lower_by_part(const struct pass* pass)
{
    (void)pass;
    return true;
}

static void open_layers(struct common* common, bool staged, const struct cache* cache)
{
    const uint32_t layers = cache->model->header.layers;
    common->layers = heap_take(layers * sizeof *common->layers, "the layers");
    for (uint32_t i = 0; i < layers; ++i) {
        struct layer_tables* layer = &common->layers[i];
        if (staged || cache->inputs != NULL || cache->listing.width != 0)
            layer->parts = heap_take((cache->compressed != NULL ? 1 : cache->layers[i].part_count) *
                                         sizeof *layer->parts,
                                     "a table");
        if (cache->inputs != NULL)
            layer->formats = heap_take(sizeof *layer->formats, "a table");
    }
}

struct common* common_open(const struct machine* machine, const struct placement* placement)
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
