// SPDX-License-Identifier: Apache-2.0
/* Products of vectors with matrices. A matrix is read in the order in which it is stored. Keys, and
 * matrices stored by rows, use inner products. Values, and matrices stored by columns, use outer
 * products. */
#include "firmware/drivers/veda.h"
#include "firmware/target/veda/lower.h"

static struct levee_veda_operation* product(struct levee_descriptor* descriptor,
                                            enum levee_veda_mode mode)
{
    struct levee_veda_operation* out = veda_operation(descriptor);
    descriptor->opcode = LEVEE_VEDA_GEMV;
    out->mode = (uint8_t)mode;
    out->outer[0] = out->outer[1] = 1;
    out->out_type = LEVEE_TYPE_FP16;
    return out;
}

static void to_port(const struct lowering* lowering, struct levee_veda_operation* out,
                    enum veda_port port)
{
    out->out = veda_stream(lowering, port);
    out->out_type = LEVEE_TYPE_FP32;
}

/* Sets the first group's share of the on-chip memory for a prefill's sums. */
static void take_work(const struct lowering* lowering, struct levee_veda_operation* out)
{
    const struct placement* placement = lowering->placement;
    const uint64_t share = placement->work.bytes / veda.groups;
    const uint64_t bytes = share / FP32_BYTES * FP32_BYTES;
    if (lowering->values != placement->prefill_values || bytes == 0)
        return;
    out->work = placement->work.data;
    out->work_bytes = bytes;
}

void veda_product(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct matrix* matrix = operation->matrix;
    struct levee_veda_operation* out =
        product(descriptor, matrix->columns_first ? LEVEE_VEDA_OUTER : LEVEE_VEDA_INNER);
    take_work(lowering, out);
    out->flags = matrix->columns_first ? 0 : LEVEE_VEDA_B_TRANSPOSED;
    out->m = veda_vectors(pass, operation);
    out->k = matrix->cols;
    out->n = matrix->rows;
    out->a = veda_normalises(lowering, pass, operation)
                 ? veda_stream(lowering, VEDA_PORT_NORMALISED)
                 : lowering->values[operation->reads[0]].data;
    out->a_stride[2] = (int32_t)(matrix->cols * FP16_BYTES);
    out->b = matrix->data;
    out->b_stride[2] = (int32_t)matrix->row_bytes;
    out->out = lowering->values[operation->writes].data;
    if (operation->writes == VALUE_LOGITS)
        out->out_type = LEVEE_TYPE_FP32;
    out->out_stride[2] =
        (int32_t)matrix->rows * (operation->writes == VALUE_LOGITS ? FP32_BYTES : FP16_BYTES);
    if (veda_is_biased(lowering, pass, operation) || veda_is_added(lowering, pass, operation))
        to_port(lowering, out, VEDA_PORT_RESULTS);
}

/* Sets the loops of both attention products: entry, query head, token. Heads that share keys and
 * values are processed together, so that keys and values are read once. */
static void attention_loops(const struct lowering* lowering, const struct pass* pass,
                            const struct slices* slices, struct levee_veda_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    take_work(lowering, out);
    out->group = shape->heads / shape->kv_heads;
    out->outer[0] = (uint16_t)slices->entries;
    out->outer[1] = (uint16_t)(slices->heads * out->group);
    out->m = pass->shape.rows;
    out->flags |= pass->shape.rows > 1 ? LEVEE_VEDA_CAUSAL : 0;
    out->lengths = pass->lengths + WORD_BYTES * slices->entry;
    out->lengths_stride[0] = WORD_BYTES;
    out->b_stride[0] = slices->stride[0];
    out->b_stride[1] = slices->stride[1];
    out->b_stride[2] = (int32_t)shape->head_dim * FP16_BYTES;
}

/* Returns how many heads run at the same time. If one head fits into an array, this is the number
 * of arrays. */
static uint8_t side_by_side(const struct lowering* lowering, const struct levee_veda_operation* out)
{
    const bool fits = lowering->model->header.head_dim <= veda.lanes;
    return fits && out->outer[1] % veda.arrays == 0 ? LEVEE_VEDA_SPLIT : 0;
}

/* Sets the strides of a value [entries][rows][H][D]. */
static void vector_strides(const struct lowering* lowering, const struct pass* pass,
                           int32_t stride[3])
{
    const struct levee_model_header* shape = &lowering->model->header;
    stride[1] = (int32_t)shape->head_dim * FP16_BYTES;
    stride[2] = (int32_t)shape->heads * stride[1];
    stride[0] = (int32_t)pass->shape.rows * stride[2];
}

/* Writes the scores to memory. */
static void keep_scores(const struct lowering* lowering, const struct pass* pass,
                        const struct slices* slices, struct levee_veda_operation* out)
{
    const int32_t row = (int32_t)placement_width(lowering->placement, pass) * FP16_BYTES;
    veda_head_strides(lowering, pass, row, out->out_stride);
    out->out = lowering->values[VALUE_SCORES].data + veda_offset(lowering, slices, out->out_stride);
}

/* Describes scores = q K^T. The scores go to the element-serial unit if there is one. */
void veda_score_products(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    struct levee_veda_operation* out = product(descriptor, LEVEE_VEDA_INNER);
    attention_loops(lowering, pass, &slices, out);
    vector_strides(lowering, pass, out->a_stride);
    out->a = lowering->values[VALUE_QUERY].data + veda_offset(lowering, &slices, out->a_stride);
    out->b = slices.keys;
    out->flags |= LEVEE_VEDA_B_TRANSPOSED | side_by_side(lowering, out);
    out->k = lowering->model->header.head_dim;
    out->n = pass->longest;
    out->ragged = LEVEE_VEDA_RAGGED_N;
    if (veda.serial)
        to_port(lowering, out, VEDA_PORT_RESULTS);
    else
        keep_scores(lowering, pass, &slices, out);
}

void veda_patch_scores(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    veda_operation(descriptor)->n = pass->longest;
}

/* Makes the arrays read the probabilities of a decode step from a stream while they are computed. A
 * unit that counts probabilities also receives them. */
static void take_normalised(const struct lowering* lowering, const struct pass* pass,
                            struct levee_veda_operation* out)
{
    out->a = veda_stream(lowering, VEDA_PORT_NORMALISED);
    if (pass->shape.form.scored)
        out->tap = 1 + lowering->machine->importance_port;
}

/* Describes mixed = p V. */
void veda_mix_products(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const int32_t row = (int32_t)placement_width(lowering->placement, pass) * FP16_BYTES;
    struct levee_veda_operation* out = product(descriptor, LEVEE_VEDA_OUTER);
    attention_loops(lowering, pass, &slices, out);
    veda_head_strides(lowering, pass, row, out->a_stride);
    out->a = lowering->values[VALUE_SCORES].data + veda_offset(lowering, &slices, out->a_stride);
    if (veda_normalises(lowering, pass, operation))
        take_normalised(lowering, pass, out);
    else
        out->flags |= side_by_side(lowering, out);
    out->b = slices.values;
    vector_strides(lowering, pass, out->out_stride);
    out->out = lowering->values[VALUE_MIXED].data + veda_offset(lowering, &slices, out->out_stride);
    out->k = pass->longest;
    out->n = lowering->model->header.head_dim;
    out->ragged = LEVEE_VEDA_RAGGED_K;
}

void veda_patch_mix(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    veda_operation(descriptor)->k = pass->longest;
}
