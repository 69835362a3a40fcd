// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/sfu.h"
#include "firmware/target/flash/lower.h"

/* INT16 results as INT8, if that is what the flash takes. */
static void narrow(const struct lowering* lowering, struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    if (flash_machine(lowering)->input_bytes == INT16_BYTES)
        return;
    out->out_type = LEVEE_TYPE_INT8;
    for (unsigned i = 0; i < 3; ++i)
        out->out_stride[i] /= INT16_BYTES;
}

void flash_norm(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_norm(lowering, pass, operation, descriptor);
    narrow(lowering, descriptor);
}

void flash_quantise(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_quantise(lowering, pass, operation, descriptor);
    narrow(lowering, descriptor);
}

void flash_activate(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_activate(lowering, pass, operation, descriptor);
    narrow(lowering, descriptor);
}
