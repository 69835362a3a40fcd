// SPDX-License-Identifier: Apache-2.0
/* Biases of products. The function unit adds them to the results on the way to their
 * destination. */
#include "firmware/drivers/sfu.h"
#include "firmware/target/veda/lower.h"

void veda_bias(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct matrix* matrix = operation->matrix;
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = LEVEE_SFU_ADD;
    out->outer[0] = out->outer[1] = 1;
    out->rows = (uint16_t)veda_vectors(pass, operation);
    out->n = matrix->rows;
    out->x = veda_stream(lowering, VEDA_PORT_RESULTS);
    out->x_type = LEVEE_TYPE_FP32;
    out->y = matrix->bias; /* the strides are 0, because all vectors have the same bias */
    out->out_type = operation->writes == VALUE_LOGITS || veda_is_added(lowering, pass, operation)
                        ? LEVEE_TYPE_FP32
                        : LEVEE_TYPE_FP16;
    out->out = veda_is_added(lowering, pass, operation)
                   ? veda_stream(lowering, VEDA_PORT_NORMALISED)
                   : lowering->values[operation->writes].data;
    out->out_stride[2] =
        (int32_t)matrix->rows * (out->out_type == LEVEE_TYPE_FP32 ? FP32_BYTES : FP16_BYTES);
}
