// SPDX-License-Identifier: Apache-2.0
/* Runs a product and a DMA operation at the same time, because a wait between them is missing. */
#include "test/firmware/checks/wrong.h"

#define K 64
#define N 64
#define GAP 256

static struct levee_descriptor product __attribute__((aligned(8)));
static struct levee_descriptor fill __attribute__((aligned(8)));

static void describe_product(uint64_t x, uint64_t weights)
{
    descriptor_init(&product, LEVEE_RSA_GEMM, 11);
    struct levee_rsa_operation* gemm = rsa_operation(&product);
    gemm->a = x;
    gemm->a_type = LEVEE_TYPE_INT16;
    gemm->b = weights;
    gemm->b_type = LEVEE_TYPE_INT8;
    gemm->b_stride[2] = K;
    gemm->flags = LEVEE_RSA_B_TRANSPOSED;
    gemm->out = weights + 0x10000;
    gemm->outer[0] = gemm->outer[1] = gemm->m1 = gemm->m0 = 1;
    gemm->k = K;
    gemm->n = N;
    gemm->alpha = 1.0f;
}

int main(void)
{
    static int8_t weights[N][K];
    static int16_t x[K];
    struct command_queue rsa, dma;
    const uint64_t base = free_memory();
    const uint64_t at = base + GAP; /* Address of the weights. */
    sync_open();
    rsa_open(&rsa);
    dma_open(&dma);
    memset(weights, 1, sizeof weights);
    memset(x, 1, sizeof x);
    copy_out(at, weights, sizeof weights, "the weights");

    describe_product(bus_address(x), at);
    descriptor_signal(&product, 0, 0);

    /* 1: overwrites the weights while they are read. 2: reads the result before it is complete.
     * 3: correct, with two runs around the weights. */
    describe_copy(&fill, 12, at + 0x20000, at + 0x30000, 64);
    struct levee_dma_operation* copy = dma_operation(&fill);
#if WRONG == 1
    fill.opcode = LEVEE_DMA_FILL;
    copy->destination = at + 128;
#elif WRONG == 2
    copy->source = at + 0x10000;
#else
    fill.opcode = LEVEE_DMA_FILL;
    copy->destination = base;
    copy->destination_stride[0] = GAP + sizeof weights;
    copy->count[0] = 2;
    copy->run_bytes = GAP;
#endif
    descriptor_signal(&fill, 0, 0);
    sync_arm(0, 2);
    command_queue_submit(&rsa, &product, 1);
    command_queue_submit(&dma, &fill, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
