// SPDX-License-Identifier: Apache-2.0
/* The DMA engine writes code. WRONG selects where: 1 over a function that has run, 2 into memory
 * that has not held code before. 3 does both, with the necessary fence.i. */
#include "test/firmware/checks/wrong.h"

/* Machine code of a function: li a0, 1 (or 2); ret. */
static const uint32_t one[2] __attribute__((aligned(8))) = {0x00100513u, 0x00008067u};
static const uint32_t two[2] __attribute__((aligned(8))) = {0x00200513u, 0x00008067u};
static uint32_t code[64] __attribute__((aligned(256), section(".data")));
static struct levee_descriptor copy __attribute__((aligned(8)));
static struct command_queue dma;

static void load(const uint32_t* words)
{
    static uint32_t done;
    describe_copy(&copy, 41, bus_address(words), bus_address(code), sizeof one);
    descriptor_signal(&copy, 0, 0);
    sync_arm(0, ++done);
    command_queue_submit(&dma, &copy, 1);
    irq_wait_until(armed_reached, NULL);
}

static void fence(void)
{
    __asm__ volatile("fence.i" ::: "memory");
}

int main(void)
{
    int (*run)(void) = (int (*)(void))(uintptr_t)code;
    sync_open();
    dma_open(&dma);
    load(one);
#if WRONG != 2
    fence();
#endif
    const int first = run();
    load(two);
#if WRONG == 3
    fence();
    return first + run() == 3 ? 0 : 1;
#elif WRONG == 1
    return first + run() == 2 ? 0 : 1; /* The core still executes the old, decoded instructions. */
#else
    fence();
    return first + run() == 3 ? 0 : 1;
#endif
}
