// SPDX-License-Identifier: Apache-2.0
/* Runs an operation that writes its result to a forbidden place. WRONG selects the place. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor descriptor __attribute__((aligned(8)));

static void run(struct command_queue* queue)
{
    descriptor_signal(&descriptor, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(queue, &descriptor, 1);
    irq_wait_until(armed_reached, NULL);
}

/* Multiplies rows by the 8 by 8 matrix that follows them. */
static void describe_product(const int8_t* words, float rows[4][8])
{
    descriptor_init(&descriptor, LEVEE_RSA_GEMM, 71);
    struct levee_rsa_operation* gemm = rsa_operation(&descriptor);
    gemm->a = bus_address(words);
    gemm->a_type = gemm->b_type = LEVEE_TYPE_INT8;
    gemm->b = bus_address(words + 64);
    gemm->b_stride[2] = 8;
    gemm->flags = LEVEE_RSA_B_TRANSPOSED;
    gemm->out = bus_address(rows);
    gemm->outer[0] = gemm->outer[1] = gemm->m1 = 1;
    gemm->m0 = 4;
    gemm->a_stride[3] = 8;
    gemm->out_stride[3] = sizeof rows[0];
    gemm->k = gemm->n = 8;
    gemm->alpha = 1.0f;
}

#if WRONG == 6
/* Copies a million bytes to `to`. A table places each byte. */
static void describe_gather(uint64_t to)
{
    static uint32_t table[1u << 16];
    const uint32_t bytes = sizeof table / sizeof *table;
    for (uint32_t i = 0; i < bytes; ++i)
        table[i] = i;
    describe_copy(&descriptor, 74, free_memory(), to, 1);
    struct levee_dma_operation* copy = dma_operation(&descriptor);
    copy->count[0] = 16;
    copy->count[2] = bytes;
    copy->source_stride[0] = copy->destination_stride[0] = bytes;
    copy->source_stride[2] = copy->destination_stride[2] = 1;
    copy->source_index = bus_address(table);
    copy->source_index_stride[2] = sizeof *table;
}
#endif

int main(void)
{
    static int8_t words[256] __attribute__((aligned(8)));
    static float rows[4][8];
    struct command_queue dma, rsa;
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    memset(words, 1, sizeof words);
    memset(rows, 0, sizeof rows);
    describe_product(words, rows);
#if WRONG == 1 /* The copy's destination is its own source, 8 bytes further. */
    describe_copy(&descriptor, 72, bus_address(words), bus_address(words + 8), 128);
    run(&dma);
#elif WRONG == 2 /* The product overwrites its weights. */
    rsa_operation(&descriptor)->out = bus_address(words + 96);
    run(&rsa);
#elif WRONG == 3 /* The rows of the result are twice as far apart as those of `rows`. */
    rsa_operation(&descriptor)->out_stride[3] = 2 * sizeof rows[0];
    run(&rsa);
#elif WRONG == 4 /* The copy overwrites the program. */
    describe_copy(&descriptor, 73, bus_address(words), bus_address((const void*)(uintptr_t)run), 4);
    run(&dma);
#elif WRONG == 6 /* Correct: a million rows that a table places. */
    describe_gather(free_memory() + (1u << 20));
    run(&dma);
#else            /* Correct: the rows of the result are adjacent. */
    run(&rsa);
#endif
    return rows[0][0] == -1.0f;
}
