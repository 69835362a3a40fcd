// SPDX-License-Identifier: Apache-2.0
/* The core races with a copy by the DMA engine. WRONG selects the wait that is missing.
 * Programs with WRONG from 20 on are correct, each with a different kind of wait. */
#include "firmware/hal/csr.h"
#include "test/firmware/checks/wrong.h"

#define BYTES 4096

static struct levee_descriptor copy __attribute__((aligned(8)));
static struct levee_descriptor other __attribute__((aligned(8), unused));
static volatile uint8_t from[BYTES] __attribute__((aligned(8)));
static volatile uint8_t to[BYTES] __attribute__((aligned(8)));
static struct command_queue dma, rsa;

static volatile uint32_t done;
__attribute__((unused)) static void on_done(void* context)
{
    (void)context;
    mmio_write32(dma.block->base + LEVEE_CMD_IRQ_STATUS, LEVEE_CMD_IRQ_DONE);
    ++done;
}

__attribute__((unused)) static bool is_done(void* context)
{
    (void)context;
    return done != 0;
}

/* Waits for counter 0 by interrupt. */
__attribute__((unused)) static void wait_for(uint32_t value)
{
    sync_arm(0, value);
    irq_wait_until(armed_reached, NULL);
}

#if WRONG == 1
/* Wrong: does not wait for the data that it reads. */
static int act(void)
{
    command_queue_submit(&dma, &copy, 1);
    const int sum = to[BYTES - 1];
    wait_for(1);
    return sum;
}
#elif WRONG == 2
/* Wrong: refills the source while the copy is queued. */
static int act(void)
{
    command_queue_submit(&dma, &copy, 1);
    memset((void*)from, 2, sizeof from);
    wait_for(1);
    return 0;
}
#elif WRONG == 3
/* Wrong: reads a buffer after only half of it has been written. */
static int act(void)
{
    volatile const uint32_t* words = (volatile const uint32_t*)free_window();
    copy_out(free_memory(), (const void*)from, 64, "the half that is written");
    return (int)(words[0] + words[32]);
}
#elif WRONG == 4
/* Wrong: waits for a counter that another operation adds to. */
static int act(void)
{
    descriptor_init(&other, LEVEE_OPCODE_FENCE, 32);
    descriptor_signal(&other, 0, 0);
    descriptor_signal(&copy, 0, 1);
    command_queue_submit(&dma, &copy, 1);
    command_queue_submit(&rsa, &other, 1);
    wait_for(1);
    const int sum = to[0];
    while (sync_read(1) == 0) {
    }
    return sum;
}
#elif WRONG == 5
/* Wrong: waits for the first half of the result, but reads the second. */
static int act(void)
{
    struct levee_dma_operation* halves = dma_operation(&copy);
    halves->count[0] = 2;
    halves->source_stride[0] = halves->destination_stride[0] = BYTES / 2;
    halves->run_bytes = BYTES / 2;
    copy.signal_every[0] = 1;
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    int sum = to[0];
    sum += to[BYTES - 1];
    wait_for(2);
    return sum;
}
#elif WRONG == 6
/* Wrong: writes the source of an operation that is queued after another one. */
static int act(void)
{
    describe_copy(&other, 30, bus_address((const void*)to), free_memory(), BYTES);
    command_queue_submit(&dma, &other, 1);
    command_queue_submit(&dma, &copy, 1);
    from[7] = 3;
    wait_for(1);
    return 0;
}
#elif WRONG == 7
/* Wrong: waits for a fixed time, which proves nothing. */
static int act(void)
{
    command_queue_submit(&dma, &copy, 1);
    for (volatile int i = 0; i < 100000; ++i)
        ;
    const int sum = to[0];
    wait_for(1);
    return sum;
}
#elif WRONG == 20
/* Correct: waits for the counter by interrupt. */
static int act(void)
{
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    return to[0];
}
#elif WRONG == 21
/* Correct: waits by polling the counter. */
static int act(void)
{
    command_queue_submit(&dma, &copy, 1);
    while (sync_read(0) == 0) {
    }
    return to[0];
}
#elif WRONG == 22
/* Correct: polls the number of completed operations. */
static int act(void)
{
    const uintptr_t block = dma.block->base;
    const uint32_t before = mmio_read32(block + LEVEE_CMD_DONE_COUNT);
    command_queue_submit(&dma, &copy, 1);
    while (mmio_read32(block + LEVEE_CMD_DONE_COUNT) == before) {
    }
    const int sum = to[0];
    from[0] = 9;
    return sum;
}
#elif WRONG == 23
/* Correct: waits by reading the block's status. */
static int act(void)
{
    const uintptr_t block = dma.block->base;
    command_queue_submit(&dma, &copy, 1);
    while ((mmio_read32(block + LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_EMPTY) == 0) {
    }
    const int sum = to[0];
    from[0] = 9;
    return sum;
}
#elif WRONG == 24
/* Correct: waits for the interrupt of the queue. */
static int act(void)
{
    copy.flags = LEVEE_DESC_IRQ;
    irq_attach(dma.block->irq, on_done, NULL);
    command_queue_submit(&dma, &copy, 1);
    irq_wait_until(is_done, NULL);
    const int sum = to[0];
    from[0] = 9;
    return sum;
}
#elif WRONG == 25
/* Correct: sleeps until the comparator wakes the core, without a handler. */
static int act(void)
{
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    sync_arm(0, 1);
    command_queue_submit(&dma, &copy, 1);
    __asm__ volatile("wfi" ::: "memory");
    const int sum = to[0];
    CSR_SET(mstatus, MSTATUS_MIE);
    return sum;
}
#elif WRONG == 26
/* Correct: writes the source before the counter for which the operation waits. */
static int act(void)
{
    descriptor_wait(&copy, 0, 2, 1);
    command_queue_submit(&dma, &copy, 1);
    memset((void*)from, 4, sizeof from);
    sync_set(2, 1);
    wait_for(1);
    return to[0];
}
#elif WRONG == 27
/* Correct: a fence of another block waits for the copy, and the core waits for the fence. */
static int act(void)
{
    descriptor_init(&other, LEVEE_OPCODE_FENCE, 32);
    descriptor_wait(&other, 0, 1, 1);
    descriptor_signal(&other, 0, 0);
    descriptor_signal(&copy, 0, 1);
    command_queue_submit(&rsa, &other, 1);
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    const int sum = to[0];
    from[0] = 9;
    return sum;
}
#elif WRONG == 28
/* Correct: reads each part when it is signalled, and uses atomics. */
static int act(void)
{
    struct levee_dma_operation* halves = dma_operation(&copy);
    halves->count[0] = 2;
    halves->source_stride[0] = halves->destination_stride[0] = BYTES / 2;
    halves->run_bytes = BYTES / 2;
    copy.signal_every[0] = 1;
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    int sum = to[0];
    wait_for(2);
    sum += to[BYTES - 1] + __atomic_fetch_add((int*)(void*)&to[8], 1, __ATOMIC_RELAXED);
    return sum;
}
#endif

int main(void)
{
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    memset((void*)from, 1, sizeof from);
    memset((void*)to, 0, sizeof to);
    describe_copy(&copy, 31, bus_address((const void*)from), bus_address((const void*)to), BYTES);
    descriptor_signal(&copy, 0, 0);
    return act() == -1;
}
