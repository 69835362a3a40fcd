// SPDX-License-Identifier: Apache-2.0
/* Divides operations over several groups, each with PE arrays, an element-serial unit and a
 * function unit. Products with weights, and the terms added to X, are divided by columns of the
 * result. The pieces are blocks of columns that the arrays process at once. Attention is divided by
 * key/value heads. Each group normalises all operands of its own products, and group i has its own
 * ports. Each element of a result is computed in the same order as with one group, so the bits are
 * the same. */
#include "firmware/drivers/element_serial.h"
#include "firmware/drivers/sfu.h"
#include "firmware/drivers/veda.h"
#include "firmware/hal/system.h"
#include "firmware/target/veda/lower.h"

/* Translates an address or port of the first group to one of the share's group. */
static uint64_t of_group(uint64_t address, const struct share* share)
{
    return address >= LEVEE_STREAM(0) ? address + (uint64_t)share->index * VEDA_PORTS : address;
}

/* Sets the share's part of the memory for sums. */
static void take_part(struct levee_veda_operation* out, const struct share* share)
{
    out->work += share->index * out->work_bytes;
}

static uint32_t lanes_of(const struct lowering* lowering)
{
    (void)lowering;
    return veda.arrays * veda.lanes;
}

static struct slice columns_of(const struct share* share)
{
    return (struct slice){(uint16_t)SLICE_COLUMNS(share->count), (uint8_t)share->index,
                          (uint8_t)(share->index + 1)};
}

static struct slice heads_of(const struct share* share)
{
    return (struct slice){SLICE_HEADS, (uint8_t)share->from, (uint8_t)share->to};
}

uint32_t veda_column_pieces(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation)
{
    (void)pass;
    const uint32_t lanes = lanes_of(lowering);
    return (operation->matrix->rows + lanes - 1) / lanes;
}

/* Columns [from, from + count). */
struct columns {
    uint32_t from, count;
};

static struct columns columns(const struct lowering* lowering, const struct share* share,
                              uint32_t n)
{
    const uint32_t lanes = lanes_of(lowering);
    const uint32_t end = share->to * lanes < n ? share->to * lanes : n;
    return (struct columns){share->from * lanes, end - share->from * lanes};
}

struct slice veda_narrow_normalised(const struct lowering* lowering,
                                    struct levee_descriptor* descriptor, const struct share* share)
{
    (void)lowering;
    struct levee_es_operation* out = element_serial_operation(descriptor);
    out->out = of_group(out->out, share);
    return columns_of(share);
}

struct slice veda_narrow_product(const struct lowering* lowering,
                                 struct levee_descriptor* descriptor, const struct share* share)
{
    struct levee_veda_operation* out = veda_operation(descriptor);
    const struct columns mine = columns(lowering, share, out->n);
    const bool rows = (out->flags & LEVEE_VEDA_B_TRANSPOSED) != 0;
    const uint64_t result = out->out_type == LEVEE_TYPE_FP32 ? FP32_BYTES : FP16_BYTES;
    out->a = of_group(out->a, share);
    out->b += (uint64_t)mine.from * (rows ? (uint32_t)out->b_stride[2] : FP16_BYTES);
    out->out =
        out->out < LEVEE_STREAM(0) ? out->out + mine.from * result : of_group(out->out, share);
    out->n = mine.count;
    take_part(out, share);
    return columns_of(share);
}

/* Narrows a term added to X to a share. Statistics of a part of X are not used, because NORM
 * computes those of the whole vector. */
struct slice veda_narrow_added(const struct lowering* lowering, struct levee_descriptor* descriptor,
                               const struct share* share)
{
    struct levee_es_operation* out = element_serial_operation(descriptor);
    const struct columns mine = columns(lowering, share, out->n);
    out->x = of_group(out->x, share);
    out->y += (uint64_t)mine.from * FP16_BYTES;
    out->out += (uint64_t)mine.from * FP16_BYTES;
    out->n = mine.count;
    out->statistics = bus_address(veda.unused + share->index * veda.vectors);
    return columns_of(share);
}

struct slice veda_narrow_biased(const struct lowering* lowering,
                                struct levee_descriptor* descriptor, const struct share* share)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    const struct columns mine = columns(lowering, share, out->n);
    const uint64_t result = out->out_type == LEVEE_TYPE_FP32 ? FP32_BYTES : FP16_BYTES;
    out->x = of_group(out->x, share);
    out->y += (uint64_t)mine.from * FP32_BYTES;
    out->out =
        out->out < LEVEE_STREAM(0) ? out->out + mine.from * result : of_group(out->out, share);
    out->n = mine.count;
    return columns_of(share);
}

/* Returns the number of pieces for attention. Attention on a part of the cache covers the heads of
 * this part. It stays in one group in two cases: a unit counts probabilities and needs them in
 * order, or one function unit computes the whole softmax. */
uint32_t veda_head_pieces(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation)
{
    if (veda.groups == 1 || !veda.serial || pass->shape.form.scored)
        return 1;
    const uint32_t heads = lower_slices(lowering, pass, operation).heads;
    return heads > UINT8_MAX ? 1 : heads;
}

/* Query heads of a share of key/value heads. */
static struct columns query_heads(const struct lowering* lowering, const struct share* share)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const uint32_t group = shape->heads / shape->kv_heads;
    return (struct columns){share->from * group, (share->to - share->from) * group};
}

struct slice veda_narrow_attention(const struct lowering* lowering,
                                   struct levee_descriptor* descriptor, const struct share* share)
{
    struct levee_veda_operation* out = veda_operation(descriptor);
    const struct columns heads = query_heads(lowering, share);
    out->a = out->a < LEVEE_STREAM(0) ? out->a + (uint64_t)heads.from * (uint32_t)out->a_stride[1]
                                      : of_group(out->a, share);
    out->b += (uint64_t)share->from * (uint32_t)out->b_stride[1];
    out->out = out->out < LEVEE_STREAM(0)
                   ? out->out + (uint64_t)heads.from * (uint32_t)out->out_stride[1]
                   : of_group(out->out, share);
    out->outer[1] = (uint16_t)heads.count;
    if (heads.count % veda.arrays != 0)
        out->flags &= (uint8_t)~LEVEE_VEDA_SPLIT;
    take_part(out, share);
    return heads_of(share);
}

struct slice veda_narrow_softmax(const struct lowering* lowering,
                                 struct levee_descriptor* descriptor, const struct share* share)
{
    struct levee_es_operation* out = element_serial_operation(descriptor);
    const struct columns heads = query_heads(lowering, share);
    out->x = out->x < LEVEE_STREAM(0) ? out->x + (uint64_t)heads.from * (uint32_t)out->x_stride[1]
                                      : of_group(out->x, share);
    out->out = out->out < LEVEE_STREAM(0)
                   ? out->out + (uint64_t)heads.from * (uint32_t)out->out_stride[1]
                   : of_group(out->out, share);
    out->statistics += (uint64_t)heads.from * (uint32_t)out->statistics_stride[1];
    out->outer[1] = (uint16_t)heads.count;
    return heads_of(share);
}
