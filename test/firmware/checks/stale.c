// SPDX-License-Identifier: Apache-2.0
/* The core and the DMA engine write data into DRAM, with a data cache that software keeps coherent.
 * WRONG selects the error: 1 does not invalidate before the core reads. 2 does not clean before the
 * engine reads. 3 stores to a line that the engine has written. 4 shares lines without sharing
 * bytes. 5 is correct. */
#include "firmware/hal/dcache.h"
#include "test/firmware/checks/wrong.h"

#define WORDS 64

static struct command_queue dma;
static struct levee_descriptor descriptor __attribute__((aligned(8)));
static uint32_t here[WORDS] __attribute__((aligned(8)));

static void copy(uint32_t tag, uint64_t destination, uint64_t source, uint32_t bytes)
{
    static uint32_t done;
    describe_copy(&descriptor, tag, source, destination, bytes);
    descriptor_signal(&descriptor, 0, 0);
    sync_arm(0, ++done);
    command_queue_submit(&dma, &descriptor, 1);
    irq_wait_until(armed_reached, NULL);
}

static inline void maintain(void (*what)(const void*, size_t), uintptr_t at)
{
    if (WRONG == 5)
        what((const void*)at, sizeof here);
}

int main(void)
{
    sync_open();
    dma_open(&dma);
    const uint64_t dram = system_memory(LEVEE_ROLE_SPILL)->free_base;
    const uintptr_t window = core_window(dram, 4096);
    volatile uint32_t* there = (volatile uint32_t*)window;
    uint32_t sum = there[0] + there[1]; /* The line is cached now. */
    for (unsigned i = 0; i < WORDS; ++i)
        here[i] = 7;
#if WRONG == 4 /* The first word belongs to the engine, the second to the core. */
    there[1] = 3;
    copy(51, dram, bus_address(here), sizeof here[0]);
    sum += there[1];
    copy(52, bus_address(here), dram, sizeof here[0]);
    return sum == 3 ? 0 : 1;
#else
    if (WRONG != 2)
        copy(51, dram, bus_address(here), sizeof here);
    maintain(dcache_invalidate, window);
    if (WRONG == 1 || WRONG == 5)
        sum += there[1];
    there[0] = 9;
    if (WRONG == 3)
        dcache_clean((const void*)window, sizeof here);
    maintain(dcache_clean, window);
    if (WRONG == 2 || WRONG == 5)
        copy(52, bus_address(here), dram, sizeof here);
    return sum < 8 && here[0] < 10 ? 0 : 1;
#endif
}
