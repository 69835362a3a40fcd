// SPDX-License-Identifier: Apache-2.0
/* Divides products over several arrays. Products with weights are divided by columns of the result,
 * in whole folds of the first array. Each weight is thus read by only one array. Products with keys
 * and values are divided by heads, or by entries if there are too few heads. One array computes
 * each element of a result, in the same order as a single array would, so the bits are the same.
 * Two kinds of products stay on one array: those that feed a stream port, because the scores must
 * arrive there in order, and those that read through a redirection table. */
#include "firmware/drivers/rsa.h"
#include "firmware/target/lower.h"

static const struct levee_rsa_operation* product_of(const struct levee_descriptor* descriptor)
{
    return (const struct levee_rsa_operation*)(const void*)descriptor->operation;
}

static uint32_t folds_of(const struct lowering* lowering, const struct levee_rsa_operation* product)
{
    const uint32_t columns = lowering->common->array_columns;
    return (product->n + columns - 1) / columns;
}

static uint32_t column_pieces(const struct lowering* lowering,
                              const struct levee_descriptor* descriptor, uint32_t units)
{
    (void)units;
    return folds_of(lowering, product_of(descriptor));
}

static struct slice narrow_columns(const struct lowering* lowering,
                                   struct levee_descriptor* descriptor, const struct share* share)
{
    struct levee_rsa_operation* product = rsa_operation(descriptor);
    const uint32_t columns = lowering->common->array_columns;
    const uint32_t from = share->from * columns;
    const uint32_t end = share->to * columns;
    const uint32_t to = end < product->n ? end : product->n;
    product->b += (uint64_t)from * (uint32_t)product->b_stride[2];
    product->b_scale += (uint64_t)from * (uint32_t)product->b_scale_stride[2];
    product->bias += product->bias != 0 ? (uint64_t)from * FP32_BYTES : 0;
    product->out += (uint64_t)from * FP32_BYTES;
    product->n = to - from;
    return (struct slice){(uint16_t)SLICE_COLUMNS(share->count), (uint8_t)share->index,
                          (uint8_t)(share->index + 1)};
}

/* Returns the outer loop to divide: 1 (heads) or 0 (entries). */
static unsigned divided_loop(const struct levee_rsa_operation* product, uint32_t units)
{
    return product->outer[1] >= units || product->outer[1] >= product->outer[0] ? 1 : 0;
}

static uint32_t head_pieces(const struct lowering* lowering,
                            const struct levee_descriptor* descriptor, uint32_t units)
{
    (void)lowering;
    const struct levee_rsa_operation* product = product_of(descriptor);
    const bool streams = product->tap != 0 || product->out >= LEVEE_STREAM(0);
    if (streams || product->redirect != 0 || product->outer[1] > UINT8_MAX)
        return 1;
    return product->outer[divided_loop(product, units)];
}

static struct slice narrow_heads(const struct lowering* lowering,
                                 struct levee_descriptor* descriptor, const struct share* share)
{
    (void)lowering;
    struct levee_rsa_operation* product = rsa_operation(descriptor);
    const unsigned loop = divided_loop(product, share->count);
    const uint32_t from = share->from;
    product->a += (uint64_t)from * (uint32_t)product->a_stride[loop];
    product->a_scale += (uint64_t)from * (uint32_t)product->a_scale_stride[loop];
    product->b += (uint64_t)from * (uint32_t)product->b_stride[loop];
    product->b_scale +=
        product->b_scale != 0 ? (uint64_t)from * (uint32_t)product->b_scale_stride[loop] : 0;
    product->out += (uint64_t)from * (uint32_t)product->out_stride[loop];
    product->lengths += (uint64_t)from * (uint32_t)product->lengths_stride[loop];
    if (product->flags & LEVEE_RSA_ACCUMULATE) /* Factors at `bias` have the layout of A's
                                                * scales. */
        product->bias += (uint64_t)from * (uint32_t)product->a_scale_stride[loop];
    product->outer[loop] = (uint16_t)(share->to - from);
    if (loop == 0)
        return slice_all;
    return (struct slice){SLICE_HEADS, (uint8_t)from, (uint8_t)share->to};
}

const struct split split_columns = {column_pieces, narrow_columns};
const struct split split_heads = {head_pieces, narrow_heads};
