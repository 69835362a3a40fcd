// SPDX-License-Identifier: Apache-2.0
/* Refreshed memory that a sampled run fills in place of the tokens it leaves out: the simulator's
 * business, no machine's (session/sampled.h). */
#include "firmware/target/systolic/dma_copy.h"
#include "firmware/target/systolic/lower.h"

/* The slots that tokens left out would be in. */
void lower_fill_vectors(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const uint32_t row = lower_vector_bytes(lowering);
    const uint64_t at = operation->kind == OPERATION_FILL_KEYS ? slices.keys : slices.values;
    struct levee_dma_operation* out =
        dma_fill(descriptor, false, at + (uint64_t)pass->fill_from * row,
                 (pass->fill_to - pass->fill_from) * row, 0);
    dma_count(out, slices.entries, slices.heads, 1);
    dma_stride(out->destination_stride, slices.stride[0], slices.stride[1], 0);
}

/* Half of them as high-score ones. */
void lower_fill_views(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    struct levee_dma_operation* out =
        dma_fill(descriptor, true, slices.views + pass->fill_from,
                 (pass->fill_to + 1) / 2 - (pass->fill_from + 1) / 2, LEVEE_SE_VIEW_HIGH);
    dma_count(out, slices.entries, slices.heads, 1);
    dma_stride(out->destination_stride, slices.views_stride[0], slices.views_stride[1], 0);
}
