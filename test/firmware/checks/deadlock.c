// SPDX-License-Identifier: Apache-2.0
/* Waits forever in a way selected by WRONG. */
#include "ip/sync/regs.h"
#include "test/firmware/checks/wrong.h"

#if WRONG == 1 /* The handler claims the interrupt but never completes it. */

#define PLIC_CLAIM (LEVEE_PLIC_BASE + 0x200004u)

static volatile uint32_t handled;

__attribute__((aligned(4), interrupt("machine"))) static void claim(void)
{
    (void)mmio_read32(PLIC_CLAIM);
    mmio_write32(system_block(LEVEE_BLOCK_SYNC)->base + LEVEE_SYNC_IRQ_ENABLE, 0);
    ++handled;
}

static bool handled_twice(void* context)
{
    (void)context;
    return handled == 2;
}

int main(void)
{
    sync_open();
    __asm__ volatile("csrw mtvec, %0" ::"r"(claim) : "memory");
    sync_set(0, 1);
    sync_arm(0, 1);
    while (handled == 0)
        ;
    sync_arm(0, 1);
    irq_wait_until(handled_twice, NULL);
    return 0;
}

#elif WRONG == 2 /* The interrupt comes between the check and wfi. */

static uint8_t from[64] __attribute__((aligned(8))), to[64] __attribute__((aligned(8)));
static struct levee_descriptor copy __attribute__((aligned(8)));

int main(void)
{
    struct command_queue dma;
    sync_open();
    dma_open(&dma);
    describe_copy(&copy, 43, bus_address(from), bus_address(to), sizeof from);
    descriptor_signal(&copy, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&dma, &copy, 1);
    while (!sync_reached()) {
        for (volatile unsigned i = 0; i < 2000; ++i)
            ;
        __asm__ volatile("wfi");
    }
    return 0;
}

#elif WRONG == 3 /* The core sets a counter back while the product waits for it. */

static uint8_t from[64] __attribute__((aligned(8))), to[64] __attribute__((aligned(8)));
static struct levee_descriptor copies[2] __attribute__((aligned(8))),
    product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue dma, rsa;
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    descriptor_init(&product, LEVEE_RSA_GEMM, 42);
    descriptor_wait(&product, 0, 5, 2);
    descriptor_signal(&product, 0, 0);
    command_queue_submit(&rsa, &product, 1);
    for (unsigned i = 0; i < 2; ++i) {
        describe_copy(&copies[i], 44 + i, bus_address(from), bus_address(to), sizeof from);
        descriptor_signal(&copies[i], 0, 5);
        sync_arm(5, 1);
        command_queue_submit(&dma, &copies[i], 1);
        irq_wait_until(armed_reached, NULL);
        if (i == 0)
            sync_set(5, 0); /* Prepares the counter for the next turn. */
    }
    sync_arm(0, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}

#elif WRONG == 4 /* The queue is reset while it holds a product that the copy waits for. */

static uint8_t from[64] __attribute__((aligned(8))), to[64] __attribute__((aligned(8)));
static struct levee_descriptor copy __attribute__((aligned(8))),
    products[2] __attribute__((aligned(8)));

int main(void)
{
    struct command_queue dma, rsa;
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    for (unsigned i = 0; i < 2; ++i) {
        descriptor_init(&products[i], LEVEE_RSA_GEMM, 45 + i);
        descriptor_wait(&products[i], 0, 6, 1);
        descriptor_signal(&products[i], 0, 5);
    }
    command_queue_submit(&rsa, products, 2);
    describe_copy(&copy, 47, bus_address(from), bus_address(to), sizeof from);
    descriptor_wait(&copy, 0, 5, 2);
    descriptor_signal(&copy, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&dma, &copy, 1);
    command_queue_reset(&rsa);
    sync_set(6, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}

#elif WRONG == 5 /* As WRONG 0, but after a queue and a counter have been reset. */

static uint8_t from[64] __attribute__((aligned(8))), to[64] __attribute__((aligned(8)));
static struct levee_descriptor copies[2] __attribute__((aligned(8))),
    product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue dma, rsa;
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    for (unsigned i = 0; i < 2; ++i) {
        describe_copy(&copies[i], 48 + i, bus_address(from), bus_address(to), sizeof from);
        descriptor_signal(&copies[i], 0, 5);
    }
    descriptor_wait(&copies[0], 0, 6, 1);
    command_queue_submit(&dma, &copies[0], 1);
    command_queue_reset(&dma);
    sync_arm(5, 1);
    command_queue_submit(&dma, &copies[1], 1);
    irq_wait_until(armed_reached, NULL);
    sync_set(5, 0);
    descriptor_init(&product, LEVEE_RSA_GEMM, 50);
    descriptor_wait(&product, 0, 5, 1);
    descriptor_signal(&product, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&rsa, &product, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}

#else /* The product and the core wait for counter 5, to which no block adds. */

static struct levee_descriptor product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue rsa;
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&product, LEVEE_RSA_GEMM, 42);
    descriptor_wait(&product, 0, 5, 3);
    descriptor_signal(&product, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&rsa, &product, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}

#endif
