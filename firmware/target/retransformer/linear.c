// SPDX-License-Identifier: Apache-2.0
/* Products with weights. Crossbars multiply by the layers' matrices, and the array by a matrix
 * that is in memory. */
#include "firmware/drivers/rsa.h"
#include "firmware/hal/system.h"
#include "firmware/target/retransformer/lower.h"

#include <stddef.h>

struct levee_reram_operation* retransformer_product(const struct levee_descriptor* array,
                                                    const struct levee_reram_stage* stages,
                                                    uint32_t count,
                                                    struct levee_descriptor* descriptor)
{
    const struct levee_rsa_operation* in =
        (const struct levee_rsa_operation*)(const void*)array->operation;
    struct levee_reram_operation* out = reram_operation(descriptor);
    descriptor->opcode = LEVEE_RERAM_PRODUCT;
    *out = (struct levee_reram_operation){
        .a = in->a,
        .a_scale = in->a_scale,
        .b_scale = in->b_scale,
        .bias = in->bias,
        .out = in->out,
        .lengths = in->lengths,
        .stages = bus_address(stages),
        .outer = {in->outer[0], in->outer[1]},
        .m1 = in->m1,
        .m0 = in->m0,
        .k = in->k,
        .n = in->n,
        .length_add = in->length_add,
        .alpha = in->alpha,
        .a_type = in->a_type,
        .out_type = LEVEE_TYPE_FP32,
        .ragged = in->ragged,
        .stage_count = (uint8_t)count,
    };
    for (unsigned i = 0; i < 4; ++i) {
        out->a_stride[i] = in->a_stride[i];
        out->a_scale_stride[i] = in->a_scale_stride[i];
        out->out_stride[i] = in->out_stride[i];
    }
    for (unsigned i = 0; i < 3; ++i)
        out->b_scale_stride[i] = in->b_scale_stride[i];
    out->lengths_stride[0] = in->lengths_stride[0];
    out->lengths_stride[1] = in->lengths_stride[1];
    return out;
}

static bool is_in_memory(const struct operation* operation)
{
    return operation->layer == LEVEE_NO_LAYER;
}

static bool crossbars_take(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation)
{
    (void)lowering, (void)pass;
    return !is_in_memory(operation);
}

static bool array_takes(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    (void)lowering, (void)pass;
    return is_in_memory(operation);
}

/* Returns which of the layer's products the operation is. */
static enum linear_kind kind_of(const struct lowering* lowering, const struct operation* operation)
{
    const struct layer* layer = &lowering->model->layers[operation->layer];
    const struct matrix* const matrices[LINEARS] = {
        [LINEAR_QKV] = &layer->qkv, [LINEAR_QUERY] = &layer->query,
        [LINEAR_KEY] = &layer->key, [LINEAR_OUTPUT] = &layer->output,
        [LINEAR_UP] = &layer->up,   [LINEAR_DOWN] = &layer->down,
    };
    unsigned kind = 0;
    while (kind < LINEARS - 1 && matrices[kind] != operation->matrix)
        ++kind;
    return (enum linear_kind)kind;
}

static void lower_in_crossbars(const struct lowering* lowering, const struct pass* pass,
                               const struct operation* operation,
                               struct levee_descriptor* descriptor)
{
    const struct retransformer* machine = &crossbars;
    const struct retransformer_layer* layer = &machine->layers[operation->layer];
    const enum linear_kind kind = kind_of(lowering, operation);
    struct levee_descriptor array = *descriptor;
    lower_linear(lowering, pass, operation, &array);
    struct levee_reram_operation* out =
        retransformer_product(&array, &layer->linear[kind], 1, descriptor);
    if (kind == LINEAR_QUERY && machine->scores_decomposed) {
        out->b_scale = bus_address(layer->query_scale);
        out->bias = layer->query_bias != NULL ? bus_address(layer->query_bias) : 0;
    }
}

/* Returns whether a product is needed. The decomposed form computes no values, and no keys except
 * rotated ones. */
bool retransformer_linear_is_needed(const struct lowering* lowering, const struct pass* pass,
                                    const struct operation* operation, uint32_t part)
{
    (void)pass, (void)part;
    const struct retransformer* machine = &crossbars;
    if (is_in_memory(operation) || !machine->decomposed)
        return true;
    const struct layer* layer = &lowering->model->layers[operation->layer];
    return operation->matrix != &layer->value &&
           (operation->matrix != &layer->key || !machine->scores_decomposed);
}

const struct unit_class class_crossbars = {.type = LEVEE_BLOCK_RERAM, .name = "crossbars"};

static const struct partner linear[] = {
    {.unit = &class_crossbars, .lower = lower_in_crossbars, .takes = crossbars_take},
    {.unit = &class_array, .lower = lower_linear, .takes = array_takes},
};

const struct partners retransformer_linear = {.list = linear,
                                              .count = sizeof linear / sizeof *linear};
