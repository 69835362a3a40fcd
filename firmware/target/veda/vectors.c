// SPDX-License-Identifier: Apache-2.0
/* What is neither product, norm nor softmax, in FP16. */
#include "firmware/drivers/sfu.h"
#include "firmware/target/veda/lower.h"

static struct levee_sfu_operation* vectors(struct levee_descriptor* descriptor, uint8_t opcode)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = opcode;
    out->outer[0] = out->outer[1] = 1;
    out->rows = 1;
    out->x_type = out->out_type = LEVEE_TYPE_FP16;
    return out;
}

void veda_embed(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_embed(lowering, pass, operation, descriptor);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->out_type = LEVEE_TYPE_FP16;
    for (unsigned i = 0; i < 3; ++i)
        out->out_stride[i] = out->out_stride[i] / FP32_BYTES * FP16_BYTES;
}

/* Heads of QKV from `first` on, `rows` of each of `entries`, at their positions where these are not
 * learned. `positions`: of the entries' first rows; 0: none, they stay as they are. */
static struct levee_sfu_operation* heads_of(const struct lowering* lowering, uint32_t first,
                                            uint32_t rows, uint64_t positions,
                                            struct levee_descriptor* descriptor)
{
    const struct model* model = lowering->model;
    const struct levee_model_header* shape = &model->header;
    const bool rotated = positions != 0 && model->rope_phase != 0;
    struct levee_sfu_operation* out =
        vectors(descriptor, rotated ? LEVEE_SFU_ROPE : LEVEE_SFU_QUANTISE);
    const int32_t head = (int32_t)shape->head_dim * FP16_BYTES;
    const int32_t row = (int32_t)model->layers[0].qkv.rows * FP16_BYTES;
    out->rows = (uint16_t)rows;
    out->n = shape->head_dim;
    out->x = lowering->values[VALUE_QKV].data + (uint64_t)first * (uint32_t)head;
    out->x_stride[0] = (int32_t)rows * row;
    out->x_stride[1] = head;
    out->x_stride[2] = row;
    if (!rotated)
        return out;
    out->y = model->rope_phase;
    out->positions = positions;
    out->positions_stride[0] = WORD_BYTES;
    out->flags |= shape->position == LEVEE_POSITION_ROPE_HALVES ? LEVEE_SFU_ROPE_HALVES : 0;
    return out;
}

void veda_query(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    const struct levee_model_header* shape = &lowering->model->header;
    struct levee_sfu_operation* out =
        heads_of(lowering, 0, pass->shape.rows, pass->positions, descriptor);
    out->outer[0] = (uint16_t)pass->shape.entries;
    out->outer[1] = (uint16_t)shape->heads;
    out->out = lowering->values[VALUE_QUERY].data;
    out->out_stride[1] = (int32_t)shape->head_dim * FP16_BYTES;
    out->out_stride[2] = (int32_t)shape->heads * out->out_stride[1];
    out->out_stride[0] = (int32_t)pass->shape.rows * out->out_stride[2];
}

/* Into each entry's slot; the vectors of one pass take consecutive slots. */
void veda_store(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const bool keys = operation->kind == OPERATION_STORE_KEY;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct slot_words slots = lower_slots(lowering, pass, &slices);
    const uint32_t first = shape->heads + (keys ? 0 : shape->kv_heads) + slices.head;
    struct levee_sfu_operation* out =
        heads_of(lowering, first, pass->shape.rows,
                 keys ? pass->positions + WORD_BYTES * slices.entry : 0, descriptor);
    out->x += (uint64_t)slices.entry * (uint32_t)out->x_stride[0];
    out->outer[0] = (uint16_t)slices.entries;
    out->outer[1] = (uint16_t)slices.heads;
    out->flags |= LEVEE_SFU_SCATTER;
    out->indices = slots.address;
    out->indices_stride[0] = slots.stride[0];
    out->indices_stride[1] = slots.stride[1];
    out->out = keys ? slices.keys : slices.values;
    out->out_stride[0] = slices.stride[0];
    out->out_stride[1] = slices.stride[1];
    out->out_stride[2] = (int32_t)shape->head_dim * FP16_BYTES;
}

void veda_bias(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct matrix* matrix = operation->matrix;
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_ADD);
    out->rows = (uint16_t)veda_vectors(pass, operation);
    out->n = matrix->rows;
    out->x = LEVEE_STREAM(VEDA_PORT_RESULTS);
    out->x_type = LEVEE_TYPE_FP32;
    out->y = matrix->bias; /* of every vector the same: its strides are 0 */
    if (operation->writes == VALUE_LOGITS || veda_is_added(lowering, pass, operation))
        out->out_type = LEVEE_TYPE_FP32;
    out->out = veda_is_added(lowering, pass, operation) ? LEVEE_STREAM(VEDA_PORT_NORMALISED)
                                                        : veda_place(lowering, operation->writes);
    out->out_stride[2] =
        (int32_t)matrix->rows * (out->out_type == LEVEE_TYPE_FP32 ? FP32_BYTES : FP16_BYTES);
}

/* Gate and up lie one after the other in each token's row. */
void veda_activate(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_activate(lowering, pass, operation, descriptor);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    const uint32_t hidden = lowering->model->header.hidden;
    const int32_t row = (int32_t)lowering->model->layers[0].up.rows * FP16_BYTES;
    out->x_type = out->out_type = LEVEE_TYPE_FP16;
    out->x_stride[2] = row;
    out->out_stride[2] = (int32_t)hidden * FP16_BYTES;
    out->out_scale_stride[2] = 0;
    if (out->y == 0)
        return;
    out->y = out->x + (uint64_t)hidden * FP16_BYTES;
    out->y_type = LEVEE_TYPE_FP16;
    out->y_stride[2] = row;
}
