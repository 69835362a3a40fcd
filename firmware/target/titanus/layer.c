// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/titanus/lower.h"

bool titanus_is_chained(const struct lowering* lowering, const struct pass* pass)
{
    (void)lowering;
    return cores.chained && pass->shape.rows > 1;
}

bool titanus_linear_is_needed(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation, uint32_t part)
{
    (void)part;
    if (operation->layer == LEVEE_NO_LAYER)
        return true;
    if (operation->writes != VALUE_QKV) /* The first operation of a layer executes the whole
                                         * layer. */
        return false;
    return operation->layer == 0 || !titanus_is_chained(lowering, pass);
}

static bool cores_take(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation)
{
    (void)lowering, (void)pass;
    return operation->layer != LEVEE_NO_LAYER;
}

static bool array_takes(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    return !cores_take(lowering, pass, operation);
}

/* Returns the keys and values of a layer, which must be in one part. */
static struct slices slices_of(const struct lowering* lowering, const struct pass* pass,
                               uint32_t layer)
{
    const struct cache* cache = &lowering->placement->cache;
    if (cache_parts(cache, pass, layer) != 1)
        fatal(EXIT_REFUSED,
              "scheduler %s: keys and values of layer %lu are in several memories; expected one "
              "with room for both",
              system_scheduler(), (unsigned long)layer);
    return cache_slices(cache, pass, layer, 0);
}

/* Sets the strides from layer to layer. They must be the same for all layers that a descriptor
 * covers. */
static void step_layers(const struct lowering* lowering, const struct pass* pass,
                        const struct slices* first, struct levee_cim_operation* out)
{
    for (uint32_t i = 1; i < out->layers; ++i) {
        const struct slices next = slices_of(lowering, pass, out->layer + i);
        if (i == 1) {
            out->kv_layer = next.keys - first->keys;
            out->scale_layer = next.key_scales - first->key_scales;
        }
        if (next.keys != first->keys + i * out->kv_layer ||
            next.values != first->values + i * out->kv_layer ||
            next.key_scales != first->key_scales + i * out->scale_layer ||
            next.value_scales != first->value_scales + i * out->scale_layer)
            fatal(
                EXIT_REFUSED,
                "scheduler %s: keys and values of layer %lu do not have the same spacing as those "
                "of earlier layers; expected one memory with room for all, or pipeline intra_core",
                system_scheduler(), (unsigned long)(out->layer + i));
    }
}

void titanus_set_vectors(const struct slices* slices, struct levee_cim_operation* out)
{
    out->keys = slices->keys;
    out->values = slices->values;
    out->key_scales = slices->key_scales;
    out->value_scales = slices->value_scales;
    out->kv_entry = (uint64_t)slices->stride[0];
    out->kv_head = (uint64_t)slices->stride[1];
    out->scale_entry = (uint64_t)slices->scale_stride[0];
    out->scale_head = (uint64_t)slices->scale_stride[1];
}

static void lower_layer(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_cim_operation* out = cim_operation(descriptor);
    const struct titanus* machine = &cores;
    descriptor->opcode = LEVEE_CIM_LAYER;
    out->x = lowering->values[VALUE_X].data;
    out->out = out->x;
    out->model = bus_address(machine->model);
    out->lengths = pass->lengths;
    out->entries = pass->shape.entries;
    out->first_entry = pass->shape.first_entry;
    out->rows = pass->shape.rows;
    out->layer = operation->layer;
    out->layers = titanus_is_chained(lowering, pass) ? lowering->model->header.layers : 1;
    out->final_tokens = machine->final_tokens;
    if (machine->packed != NULL && !pass->shape.form.prefill) {
        out->packed = bus_address(machine->packed);
        return;
    }
    const struct slices slices = slices_of(lowering, pass, operation->layer);
    titanus_set_vectors(&slices, out);
    step_layers(lowering, pass, &slices, out);
}

const struct unit_class class_cores = {.type = LEVEE_BLOCK_CIM, .name = "compute-in-memory cores"};

static const struct partner linear[] = {
    {.unit = &class_cores, .lower = lower_layer, .takes = cores_take},
    {.unit = &class_array, .lower = lower_linear, .takes = array_takes},
};

const struct partners titanus_linear = {.list = linear, .count = sizeof linear / sizeof *linear};
