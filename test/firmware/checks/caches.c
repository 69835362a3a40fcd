/* SPDX-License-Identifier: Apache-2.0 */
/* The core and the DMA engine write data into DRAM for each other. WRONG 1 does not maintain the
 * data cache. Then the DMA engine overwrites executed code with other code. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/hal/dcache.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

#include <stdio.h>
#include <string.h>

#define WORDS 64

static struct command_queue dma;
static struct levee_descriptor descriptor __attribute__((aligned(8)));
static uint32_t here[WORDS] __attribute__((aligned(8)));
/* Machine code of a function: addi a0, zero, 1 (or 2); ret. */
static const uint32_t code[2][2]
    __attribute__((aligned(8))) = {{0x00100513, 0x00008067}, {0x00200513, 0x00008067}};

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

static void copy(uint64_t destination, uint64_t source, uint32_t bytes)
{
    static uint32_t done;
    descriptor_init(&descriptor, LEVEE_DMA_COPY, done);
    struct levee_dma_operation* operation = dma_operation(&descriptor);
    operation->source = source;
    operation->destination = destination;
    operation->count[0] = operation->count[1] = operation->count[2] = 1;
    operation->run_bytes = bytes;
    descriptor_signal(&descriptor, 0, 0);
    sync_arm(0, ++done);
    command_queue_submit(&dma, &descriptor, 1);
    irq_wait_until(reached, NULL);
}

static uint32_t sum(const volatile uint32_t* words)
{
    uint32_t total = 0;
    for (unsigned i = 0; i < WORDS; ++i)
        total += words[i];
    return total;
}

int main(void)
{
    sync_open();
    dma_open(&dma);
    const uint64_t dram = system_memory(LEVEE_ROLE_SPILL)->free_base;
    const uintptr_t window = core_window(dram, 4096);
    volatile uint32_t* there = (volatile uint32_t*)window;
    const uint32_t before = sum(there); /* The sum is 0. The data cache now holds the line. */

    for (unsigned i = 0; i < WORDS; ++i)
        here[i] = 1;
    copy(dram, bus_address(here), sizeof here);
    if (WRONG == 0)
        dcache_invalidate((const void*)window, sizeof here);
    printf("the core reads %lu\n", (unsigned long)(before + sum(there)));

    for (unsigned i = 0; i < WORDS; ++i)
        there[i] = 2;
    if (WRONG == 0)
        dcache_clean((const void*)window, sizeof here);
    copy(bus_address(here), dram, sizeof here);
    printf("the DMA engine reads %lu\n", (unsigned long)sum(here));

    const uintptr_t function = window + 2048;
    unsigned results[3];
    copy(dram + 2048, bus_address(code[0]), sizeof code[0]);
    __asm__ volatile("fence.i" ::: "memory");
    results[0] = ((unsigned (*)(void))function)();
    copy(dram + 2048, bus_address(code[1]), sizeof code[1]);
    results[1] = ((unsigned (*)(void))function)();
    __asm__ volatile("fence.i" ::: "memory");
    results[2] = ((unsigned (*)(void))function)();
    printf("code returns %u, %u without fence.i, %u\n", results[0], results[1], results[2]);
    return 0;
}
