// SPDX-License-Identifier: Apache-2.0
/* The baseline of VEDA (section VI). A function unit reads whole vectors from memory and writes
 * them back, while the arrays wait. */
#include "firmware/drivers/sfu.h"
#include "firmware/target/veda/lower.h"

/* Computes a softmax in place, over the scores: one vector for each entry, query head and token. */
void veda_whole_softmax(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const int32_t row = (int32_t)placement_width(lowering->placement, pass) * FP16_BYTES;
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = LEVEE_SFU_SOFTMAX;
    out->x_type = out->out_type = LEVEE_TYPE_FP16;
    out->group = (uint8_t)(shape->heads / shape->kv_heads);
    out->outer[0] = (uint16_t)slices.entries;
    out->outer[1] = (uint16_t)(slices.heads * out->group);
    out->rows = (uint16_t)pass->shape.rows;
    out->n = pass->longest;
    out->flags = pass->shape.rows > 1 ? LEVEE_SFU_CAUSAL : 0;
    out->seed = pass->window;
    out->lengths = pass->lengths + WORD_BYTES * slices.entry;
    out->lengths_stride[0] = WORD_BYTES;
    out->param = lowering->common->score_scale;
    veda_head_strides(lowering, pass, row, out->x_stride);
    veda_head_strides(lowering, pass, row, out->out_stride);
    out->x = out->out =
        lowering->values[VALUE_SCORES].data + veda_offset(lowering, &slices, out->x_stride);
}

void veda_patch_whole_softmax(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation,
                              struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    sfu_operation(descriptor)->n = pass->longest;
}
