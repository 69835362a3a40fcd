// SPDX-License-Identifier: Apache-2.0
/* Multiplies by a matrix of the model in both orientations on VEDA's PE arrays, without a
 * transposition. q = Wq x is an inner product, where x is a token's embedding. Wq' q is an outer
 * product, which waits for q. The core computes the same sums in software, in the arrays' order,
 * and compares the bits. The image must contain FP16 (levee import ... --weights fp16). */
#include "core/abi/model_image.h"
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/veda.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>
#include <string.h>

#define TOKEN 42
#define COUNTER 0
enum { INNER, OUTER, OPERATIONS };

static struct levee_descriptor work[OPERATIONS] __attribute__((aligned(8)));
static uint32_t lanes;

/* Buffers for the matrix and for the vectors x and q. */
static uint16_t *matrix, *x, *q;
static float* back;

static struct levee_tensor_entry find(uint64_t image, const struct levee_model_header* header,
                                      uint32_t kind)
{
    for (uint32_t i = 0; i < header->tensor_count; ++i) {
        struct levee_tensor_entry entry;
        copy_in(&entry, image + header->tensor_offset + i * sizeof entry, sizeof entry,
                "the tensor table");
        if (entry.kind == kind && (entry.layer == 0 || entry.layer == LEVEE_NO_LAYER))
            return entry;
    }
    fatal(EXIT_REFUSED, "the image lacks tensor kind %lu", (unsigned long)kind);
}

static void describe(int index, enum levee_veda_mode mode, uint64_t a, uint64_t b, const void* out,
                     uint32_t k, uint32_t n)
{
    descriptor_init(&work[index], LEVEE_VEDA_GEMV, (uint32_t)index);
    struct levee_veda_operation* operation = veda_operation(&work[index]);
    operation->a = a;
    operation->b = b;
    operation->out = bus_address(out);
    operation->outer[0] = operation->outer[1] = 1;
    operation->m = 1;
    operation->k = k;
    operation->n = n;
    operation->mode = mode;
    descriptor_signal(&work[index], 0, COUNTER);
}

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

static float from_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
    uint32_t bits = magnitude << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112f; /* rebiases the exponent, also of subnormal numbers; weights are always
                          finite */
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the sum of the products in `count` lanes, beginning with `first`. Each level of the tree
 * adds neighbours. */
static float tree(const uint16_t* row, uint32_t first, uint32_t count, uint32_t k)
{
    if (count > 1)
        return tree(row, first, count / 2, k) + tree(row, first + count / 2, count / 2, k);
    return first < k ? from_half(row[first]) * from_half(x[first]) : 0.0f;
}

static float inner(uint32_t row, uint32_t k)
{
    float sum = 0.0f;
    for (uint32_t first = 0; first < k; first += lanes)
        sum += tree(matrix + row * k, first, lanes, k);
    return sum;
}

static float outer(uint32_t column, uint32_t rows, uint32_t k)
{
    float sum = 0.0f;
    for (uint32_t row = 0; row < rows; ++row)
        sum += from_half(q[row]) * from_half(matrix[row * k + column]);
    return sum;
}

/* Returns true if `half` is the FP16 number nearest to `sum`; ties are rounded to even. */
static bool is_nearest(uint16_t half, float sum)
{
    const float below = from_half((uint16_t)(half - 1)), above = from_half((uint16_t)(half + 1));
    const float value = from_half(half);
    const float error = sum > value ? sum - value : value - sum;
    const float to_below = sum > below ? sum - below : below - sum;
    const float to_above = sum > above ? sum - above : above - sum;
    if ((half & 0x7FFFu) == 0)
        return error <= 0x1p-25f;
    return error <= to_below && error <= to_above &&
           ((half & 1u) == 0 || (error < to_below && error < to_above));
}

static uint64_t run(void)
{
    static struct command_queue veda;
    veda_open(&veda);
    const uint32_t base = veda.block->base;
    lanes = *(volatile uint32_t*)(uintptr_t)(base + LEVEE_VEDA_ARRAYS) *
            *(volatile uint32_t*)(uintptr_t)(base + LEVEE_VEDA_ROWS) *
            *(volatile uint32_t*)(uintptr_t)(base + LEVEE_VEDA_COLUMNS);
    const uint64_t begun = timer_cycles();
    sync_arm(COUNTER, OPERATIONS);
    command_queue_submit(&veda, work, OPERATIONS);
    irq_wait_until(reached, NULL);
    return timer_cycles() - begun;
}

static void describe_work(uint64_t image, const struct levee_tensor_entry* wq,
                          const struct levee_tensor_entry* embedding)
{
    const uint64_t b = image + wq->data_offset;
    const uint64_t token = image + embedding->data_offset + TOKEN * embedding->row_bytes;
    describe(INNER, LEVEE_VEDA_INNER, token, b, q, wq->cols, wq->rows);
    struct levee_veda_operation* operation = veda_operation(&work[INNER]);
    operation->b_stride[2] = (int32_t)wq->row_bytes;
    operation->flags = LEVEE_VEDA_B_TRANSPOSED; /* a row of Wq is a column of B */
    operation->out_type = LEVEE_TYPE_FP16;
    describe(OUTER, LEVEE_VEDA_OUTER, bus_address(q), b, back, wq->rows, wq->cols);
    operation = veda_operation(&work[OUTER]);
    operation->b_stride[2] = (int32_t)wq->row_bytes;
    operation->out_type = LEVEE_TYPE_FP32;
    copy_in(matrix, b, (size_t)wq->rows * wq->row_bytes, "the matrix");
    copy_in(x, token, (size_t)wq->cols * sizeof *x, "the embedding");
}

int main(void)
{
    const uint64_t image = system_info()->workload.model_address;
    if (image == 0)
        fatal(EXIT_REFUSED, "this scenario has no model");
    struct levee_model_header header;
    copy_in(&header, image, sizeof header, "the model");
    if (header.weight_type != LEVEE_TYPE_FP16)
        fatal(EXIT_REFUSED,
              "the model's weights are not FP16; import the model with --weights fp16");
    const struct levee_tensor_entry wq = find(image, &header, LEVEE_TENSOR_WQ);
    const struct levee_tensor_entry embedding = find(image, &header, LEVEE_TENSOR_EMBEDDING);
    matrix = heap_take((size_t)wq.rows * wq.row_bytes, "the matrix");
    x = heap_take(wq.cols * sizeof *x, "x");
    q = heap_take(wq.rows * sizeof *q, "q");
    back = heap_take(wq.cols * sizeof *back, "the result");
    sync_open();
    describe_work(image, &wq, &embedding);

    const uint64_t cycles = run();
    uint32_t right = 0;
    for (uint32_t row = 0; row < wq.rows; ++row)
        right += is_nearest(q[row], inner(row, wq.cols));
    for (uint32_t column = 0; column < wq.cols; ++column)
        right += back[column] == outer(column, wq.rows, wq.cols);
    printf("Wq is %lu x %lu; %lu of %lu results right, %lu cycles from doorbell to wake-up\n",
           (unsigned long)wq.rows, (unsigned long)wq.cols, (unsigned long)right,
           (unsigned long)(wq.rows + wq.cols), (unsigned long)cycles);
    hostlink_metric_u64("veda_gemv.cycles", cycles);
    return right == wq.rows + wq.cols ? 0 : 1;
}
