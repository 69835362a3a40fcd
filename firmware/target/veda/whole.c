// SPDX-License-Identifier: Apache-2.0
/* What VEDA is compared with (section VI): a function unit that takes whole vectors from memory and
 * gives them back, so that the arrays wait while it works. */
#include "firmware/drivers/sfu.h"
#include "firmware/target/veda/lower.h"

/* The systolic machine's vectors, which are FP32, in FP16. */
static void narrow(struct levee_sfu_operation* out)
{
    out->x_type = out->out_type = LEVEE_TYPE_FP16;
    for (unsigned i = 0; i < 3; ++i) {
        out->x_stride[i] = out->x_stride[i] / FP32_BYTES * FP16_BYTES;
        out->y_stride[i] = out->y_stride[i] / FP32_BYTES * FP16_BYTES;
        out->out_stride[i] = out->out_stride[i] / FP32_BYTES * FP16_BYTES;
        out->out_scale_stride[i] = 0;
    }
    out->out_scale = 0;
}

/* X has room for statistics, which nobody makes here. */
void veda_whole_norm(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_norm(lowering, pass, operation, descriptor);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    const uint32_t first = operation->on_logit_rows ? pass->shape.logit_first : 0;
    narrow(out);
    out->x =
        lowering->values[VALUE_X].data + (uint64_t)first * lowering->model->header.dim * FP16_BYTES;
}

void veda_whole_add(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    const int32_t row = (int32_t)lowering->model->header.dim * FP16_BYTES;
    lower_add(lowering, pass, operation, descriptor);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    narrow(out);
    out->y_type = LEVEE_TYPE_FP16;
    out->y = veda_place(lowering, operation->reads[1]);
    out->out_stride[2] = row; /* X has statistics, which lower_add takes for scales of codes */
}

/* In the place of the scores, a vector for each entry, query head and token. */
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
    out->lengths = pass->lengths + WORD_BYTES * slices.entry;
    out->lengths_stride[0] = WORD_BYTES;
    out->param = lower_machine(lowering)->score_scale;
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
