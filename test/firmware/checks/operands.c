// SPDX-License-Identifier: Apache-2.0
/* Uses operands and results of wrong types or at wrong places, selected by WRONG. Programs
 * with WRONG from 20 on are correct. */
#include "test/firmware/checks/wrong.h"

#define ROWS 4
#define SIDE 8

static struct levee_descriptor work[3] __attribute__((aligned(8)));
static int8_t inputs[ROWS][SIDE] __attribute__((aligned(8)));
static int8_t weights[SIDE][SIDE] __attribute__((aligned(8)));
static float sums[ROWS][SIDE] __attribute__((aligned(8)));
static float others[ROWS][SIDE] __attribute__((aligned(8)));
static int8_t codes[ROWS][SIDE] __attribute__((aligned(8)));
static float scales[ROWS] __attribute__((aligned(8)));
static struct command_queue dma, rsa, sfu;
static uint32_t expected;

static void run(struct command_queue* queue, struct levee_descriptor* descriptor)
{
    descriptor_signal(descriptor, 0, 0);
    sync_arm(0, ++expected);
    command_queue_submit(queue, descriptor, 1);
    irq_wait_until(armed_reached, NULL);
}

/* Describes the product `to` = `rows` * `weights`. */
static struct levee_rsa_operation* describe_product(struct levee_descriptor* descriptor,
                                                    const void* rows, float to[ROWS][SIDE])
{
    descriptor_init(descriptor, LEVEE_RSA_GEMM, 81);
    struct levee_rsa_operation* gemm = rsa_operation(descriptor);
    gemm->a = bus_address(rows);
    gemm->a_type = gemm->b_type = LEVEE_TYPE_INT8;
    gemm->b = bus_address(weights);
    gemm->b_stride[2] = SIDE;
    gemm->flags = LEVEE_RSA_B_TRANSPOSED;
    gemm->out = bus_address(to);
    gemm->outer[0] = gemm->outer[1] = gemm->m1 = 1;
    gemm->m0 = ROWS;
    gemm->a_stride[3] = SIDE;
    gemm->out_stride[3] = sizeof to[0];
    gemm->k = gemm->n = SIDE;
    gemm->alpha = 1.0f;
    return gemm;
}

/* Computes codes and scales from the sums. */
__attribute__((unused)) static void quantise(void)
{
    descriptor_init(&work[1], LEVEE_SFU_QUANTISE, 82);
    struct levee_sfu_operation* operation = sfu_operation(&work[1]);
    operation->x = bus_address(sums);
    operation->x_type = LEVEE_TYPE_FP32;
    operation->out = bus_address(codes);
    operation->out_type = LEVEE_TYPE_INT8;
    operation->out_scale = bus_address(scales);
    operation->outer[0] = operation->outer[1] = 1;
    operation->rows = ROWS;
    operation->n = SIDE;
    operation->x_stride[2] = sizeof sums[0];
    operation->out_stride[2] = SIDE;
    operation->out_scale_stride[2] = sizeof scales[0];
    run(&sfu, &work[1]);
}

static float sum_of(float rows[ROWS][SIDE])
{
    float sum = 0;
    for (int row = 0; row < ROWS; ++row)
        for (int i = 0; i < SIDE; ++i)
            sum += rows[row][i];
    return sum;
}

/* The first product: sums = inputs times weights. */
static struct levee_rsa_operation* first(void)
{
    return describe_product(&work[0], inputs, sums);
}

#if WRONG == 1 /* The sums of a product are read as bytes. */
static void act(void)
{
    first();
    run(&rsa, &work[0]);
    describe_product(&work[2], sums, others);
    run(&rsa, &work[2]);
}
#elif WRONG == 2 /* Copied sums keep their type, but are read as bytes. */
static void act(void)
{
    first();
    run(&rsa, &work[0]);
    describe_copy(&work[1], 83, bus_address(sums), bus_address(others), sizeof sums);
    run(&dma, &work[1]);
    describe_product(&work[2], others, sums);
    run(&rsa, &work[2]);
}
#elif WRONG == 3 /* The codes are read as INT16. */
static void act(void)
{
    first();
    run(&rsa, &work[0]);
    quantise();
    struct levee_rsa_operation* second = describe_product(&work[2], codes, others);
    second->a_type = LEVEE_TYPE_INT16;
    second->k = SIDE / 2;
    run(&rsa, &work[2]);
}
#elif WRONG == 4 /* The stride differs from that of the rows of weights. */
static void act(void)
{
    first()->b_stride[2] = 0;
    run(&rsa, &work[0]);
}
#elif WRONG == 5 /* The inputs are half a row apart. */
static void act(void)
{
    first()->a_stride[3] = SIDE / 2;
    run(&rsa, &work[0]);
}
#elif WRONG == 6 /* The rows of a copy overlap. */
static void act(void)
{
    first();
    describe_copy(&work[0], 84, bus_address(weights), free_memory(), SIDE);
    dma_operation(&work[0])->count[2] = 4;
    dma_operation(&work[0])->source_stride[2] = SIDE / 2;
    dma_operation(&work[0])->destination_stride[2] = SIDE;
    run(&dma, &work[0]);
}
#elif WRONG == 7 /* The result goes to unused memory. */
static void act(void)
{
    first()->out = free_memory();
    run(&rsa, &work[0]);
    others[0][0] = sum_of(sums);
}
#else /* Correct: a new operand at an old place, one row used for all rows, codes of a product. */
static void act(void)
{
    first();
    run(&rsa, &work[0]);
    quantise();
    describe_product(&work[2], codes, others);
    run(&rsa, &work[2]);
    describe_copy(&work[0], 85, bus_address(weights), free_memory(), SIDE);
    dma_operation(&work[0])->count[2] = 4;
    dma_operation(&work[0])->destination_stride[2] = SIDE;
    run(&dma, &work[0]);
    memset(sums, 1, sizeof sums);
    describe_product(&work[2], sums, others);
    run(&rsa, &work[2]);
}
#endif

int main(void)
{
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    sfu_open(&sfu);
    memset(inputs, 1, sizeof inputs);
    memset(weights, 2, sizeof weights);
    memset(others, 0, sizeof others);
    act();
    return sum_of(others) == 1.0f;
}
