// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/functions/split.h"

#include "firmware/drivers/sfu.h"
#include "firmware/target/lower.h"

static const struct levee_sfu_operation* vectors_of(const struct levee_descriptor* descriptor)
{
    return (const struct levee_sfu_operation*)(const void*)descriptor->operation;
}

static uint32_t vector_pieces(const struct lowering* lowering,
                              const struct levee_descriptor* descriptor, uint32_t units)
{
    (void)units;
    const uint32_t heads = lowering->model->header.kv_heads;
    return vectors_of(descriptor)->outer[1] % heads != 0 || heads > UINT8_MAX ? 1 : heads;
}

static struct slice narrow_vectors(const struct lowering* lowering,
                                   struct levee_descriptor* descriptor, const struct share* share)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    const uint32_t each = out->outer[1] / lowering->model->header.kv_heads;
    const uint64_t first = (uint64_t)share->from * each;
    out->x += first * (uint32_t)out->x_stride[1];
    out->out += first * (uint32_t)out->out_stride[1];
    out->out_scale += first * (uint32_t)out->out_scale_stride[1];
    out->indices += first * out->indices_stride[1];
    out->outer[1] = (uint16_t)((share->to - share->from) * each);
    return (struct slice){SLICE_HEADS, (uint8_t)share->from, (uint8_t)share->to};
}

static uint32_t element_pieces(const struct lowering* lowering,
                               const struct levee_descriptor* descriptor, uint32_t units)
{
    (void)lowering;
    const struct levee_sfu_operation* whole = vectors_of(descriptor);
    return lower_is_code(whole->out_type) || whole->n < units ? 1 : units;
}

static struct slice narrow_elements(const struct lowering* lowering,
                                    struct levee_descriptor* descriptor, const struct share* share)
{
    (void)lowering;
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    const uint32_t n = out->n, from = (uint32_t)((uint64_t)n * share->from / share->count);
    const uint32_t to = (uint32_t)((uint64_t)n * share->to / share->count);
    const uint64_t read = (uint64_t)from * (uint32_t)lower_element_bytes(out->x_type);
    out->x += read;
    out->y += out->y != 0 ? read : 0;
    out->out += (uint64_t)from * (uint32_t)lower_element_bytes(out->out_type);
    out->n = to - from;
    return (struct slice){(uint16_t)SLICE_COLUMNS(share->count), (uint8_t)share->index,
                          (uint8_t)(share->index + 1)};
}

const struct split split_vectors = {vector_pieces, narrow_vectors};
const struct split split_elements = {element_pieces, narrow_elements};
