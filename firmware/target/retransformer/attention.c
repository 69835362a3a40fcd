// SPDX-License-Identifier: Apache-2.0
/* Attention in crossbars, in one of two forms. In the plain form (compute, write, compute), columns
 * of K^T and V are written from the cache in memory and then read. In the decomposed form, X is
 * written as soon as it has arrived. It is then read by columns (R X^T) and by rows (S X). */
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/system.h"
#include "firmware/target/retransformer/lower.h"

#include <stddef.h>

static const struct attention_stages* stages_of(const struct lowering* lowering,
                                                const struct pass* pass,
                                                const struct operation* operation)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    return &crossbars.layers[operation->layer].attention[slices.batch_entry];
}

static bool always(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation)
{
    (void)lowering, (void)pass, (void)operation;
    return true;
}

static bool writes_keys(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    (void)lowering, (void)pass, (void)operation;
    return !crossbars.scores_decomposed;
}

static bool writes_values(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation)
{
    (void)lowering, (void)pass, (void)operation;
    return !crossbars.decomposed;
}

static bool writes_inputs(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation)
{
    return !writes_values(lowering, pass, operation);
}

/* Describes writing the arriving tokens' columns of a matrix, with one matrix per entry. */
static struct levee_reram_operation*
columns(const struct lowering* lowering, const struct pass* pass, const struct operation* operation,
        const struct levee_reram_stage* stage, uint32_t k, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct slot_words slots = lower_slots(lowering, pass, &slices);
    struct levee_reram_operation* out = reram_operation(descriptor);
    descriptor->opcode = LEVEE_RERAM_WRITE;
    *out = (struct levee_reram_operation){
        .lengths = slots.address,
        .lengths_stride = {slots.stride[0], slots.stride[1]},
        .stages = bus_address(stage),
        .outer = {(uint16_t)slices.entries, 1},
        .m1 = (uint16_t)pass->shape.rows,
        .m0 = 1,
        .k = k,
        .alpha = 1.0f,
        .a_type = LEVEE_TYPE_INT16,
        .flags = LEVEE_RERAM_POSTED,
        .stage_count = 1,
    };
    return out;
}

/* Describes writing the columns of keys or values from the cache. Rows of the cache and columns of
 * the crossbars are both numbered by slot. */
static void write_heads(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, uint64_t vectors,
                        const struct levee_reram_stage* stage, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const uint32_t dim = lowering->model->header.head_dim;
    struct levee_reram_operation* out = columns(lowering, pass, operation, stage, dim, descriptor);
    out->a = vectors;
    out->a_stride[0] = slices.stride[0];
    out->a_stride[1] = slices.stride[1];
    out->a_stride[2] = (int32_t)dim * INT16_BYTES;
    out->outer[1] = (uint16_t)slices.heads;
    out->flags |= LEVEE_RERAM_BY_COLUMN;
}

static void write_keys(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    write_heads(lowering, pass, operation, lower_slices(lowering, pass, operation).keys,
                &stages_of(lowering, pass, operation)->keys, descriptor);
}

static void write_values(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    write_heads(lowering, pass, operation, lower_slices(lowering, pass, operation).values,
                &stages_of(lowering, pass, operation)->values, descriptor);
}

/* Describes writing X. Its scales are stored in place of the first head's value scales. */
static void write_inputs(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct operand* normed = &lowering->values[VALUE_NORMED];
    const uint32_t dim = lowering->model->header.dim;
    const int32_t row = (int32_t)dim * INT16_BYTES;
    struct levee_reram_operation* out = columns(
        lowering, pass, operation, &stages_of(lowering, pass, operation)->values, dim, descriptor);
    out->a = normed->data;
    out->a_stride[0] = (int32_t)pass->shape.rows * row;
    out->a_stride[2] = row;
    out->a_scale = normed->scale;
    out->a_scale_stride[0] = (int32_t)pass->shape.rows * FP32_BYTES;
    out->a_scale_stride[2] = FP32_BYTES;
    out->out = slices.value_scales;
    out->out_stride[0] = slices.scale_stride[0];
    out->out_stride[2] = FP32_BYTES;
}

static void lower_in_stages(const struct lowering* lowering, const struct levee_descriptor* array,
                            const struct levee_reram_stage* stages, bool decomposed,
                            struct levee_descriptor* descriptor)
{
    (void)lowering;
    struct levee_reram_operation* out =
        retransformer_product(array, stages, decomposed ? 2 : 1, descriptor);
    if (decomposed && crossbars.pipelined)
        out->flags = LEVEE_RERAM_PIPELINED;
}

static void read_keys(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    const bool decomposed = crossbars.scores_decomposed;
    struct levee_descriptor array = *descriptor;
    lower_scores(lowering, pass, operation, &array);
    lower_in_stages(lowering, &array, stages_of(lowering, pass, operation)->scores, decomposed,
                    descriptor);
    if (!decomposed)
        return;
    struct levee_reram_operation* out = reram_operation(descriptor);
    out->b_scale = lower_slices(lowering, pass, operation).value_scales; /* scale of X */
    out->b_scale_stride[1] = 0;
}

static void read_values(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const bool decomposed = crossbars.decomposed;
    const struct model* model = lowering->model;
    struct levee_descriptor array = *descriptor;
    lower_mix(lowering, pass, operation, &array);
    lower_in_stages(lowering, &array, stages_of(lowering, pass, operation)->mix, decomposed,
                    descriptor);
    if (!decomposed)
        return;
    const struct matrix* values = &model->layers[operation->layer].value;
    struct levee_reram_operation* out = reram_operation(descriptor);
    out->b_scale = values->scale;
    out->bias = values->bias;
    out->b_scale_stride[0] = 0;
    out->b_scale_stride[1] = (int32_t)model->header.head_dim * FP32_BYTES;
    out->b_scale_stride[2] = FP32_BYTES;
}

/* Describes the softmax of the decomposed form. It multiplies the probabilities of all heads by the
 * scales of X. */
void retransformer_softmax(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_softmax(lowering, pass, operation, descriptor);
    if (crossbars.decomposed)
        sfu_operation(descriptor)->y_stride[1] = 0;
}

bool retransformer_key_is_needed(const struct lowering* lowering, const struct pass* pass,
                                 const struct operation* operation, uint32_t part)
{
    (void)part;
    return writes_keys(lowering, pass, operation);
}

static const struct partner scores[] = {
    {.unit = &class_crossbars, .lower = write_keys, .takes = writes_keys},
    {.unit = &class_crossbars, .lower = read_keys, .takes = always},
};
static const struct partner mix[] = {
    {.unit = &class_crossbars, .lower = write_values, .takes = writes_values},
    {.unit = &class_crossbars, .lower = read_values, .takes = always},
};
static const struct partner store_value[] = {
    {.unit = &class_crossbars, .lower = write_inputs, .takes = writes_inputs},
    {.unit = &class_functions, .lower = lower_store, .takes = writes_values},
};

const struct partners retransformer_scores = {.list = scores, .count = 2};
const struct partners retransformer_mix = {.list = mix, .count = 2};
const struct partners retransformer_store_value = {.list = store_value, .count = 2};
