// SPDX-License-Identifier: Apache-2.0
/* The core and a copy by the DMA engine: what the core forgets to wait for, by the number in WRONG;
 * from 20 on nothing is wrong, and each number is another way to wait. */
#include "firmware/hal/csr.h"
#include "test/firmware/mistakes/wrong.h"

#define BYTES 4096

static struct levee_descriptor copy __attribute__((aligned(8)));
static struct levee_descriptor other __attribute__((aligned(8)));
static volatile uint8_t from[BYTES] __attribute__((aligned(8)));
static volatile uint8_t to[BYTES] __attribute__((aligned(8)));
static struct command_queue dma, rsa;

static volatile uint32_t done;
static void on_done(void* context)
{
    (void)context;
    mmio_write32(dma.block->base + LEVEE_CMD_IRQ_STATUS, LEVEE_CMD_IRQ_DONE);
    ++done;
}

static bool is_done(void* context)
{
    (void)context;
    return done != 0;
}

/* Waits for counter 0, by interrupt. */
__attribute__((unused)) static void wait_for(uint32_t value)
{
    sync_arm(0, value);
    irq_wait_until(armed_reached, NULL);
}

int main(void)
{
    const uintptr_t block = system_block(LEVEE_BLOCK_DMA)->base;
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    memset((void*)from, 1, sizeof from);
    memset((void*)to, 0, sizeof to);
    describe_copy(&copy, 31, bus_address((const void*)from), bus_address((const void*)to), BYTES);
    descriptor_signal(&copy, 0, 0);
    volatile int sum = 0;
#if WRONG == 1 /* does not wait for what it reads */
    command_queue_submit(&dma, &copy, 1);
    sum = to[BYTES - 1];
    wait_for(1);
#elif WRONG == 2  /* refills the source while the copy is queued */
    command_queue_submit(&dma, &copy, 1);
    memset((void*)from, 2, sizeof from);
    wait_for(1);
#elif WRONG == 3  /* reads half a memory that has been written to half */
    volatile const uint32_t* words = (volatile const uint32_t*)free_window();
    copy_out(free_memory(), (const void*)from, 64, "the half that is written");
    sum = (int)(words[0] + words[32]);
    (void)wait_for;
#elif WRONG == 4  /* waits for a counter that another operation adds to */
    descriptor_init(&other, LEVEE_OPCODE_FENCE, 32);
    descriptor_signal(&other, 0, 0);
    descriptor_signal(&copy, 0, 1);
    command_queue_submit(&dma, &copy, 1);
    command_queue_submit(&rsa, &other, 1);
    wait_for(1);
    sum = to[0];
    while (sync_read(1) == 0) {
    }
#elif WRONG == 5  /* waits for the first half of the result and reads the second */
    struct levee_dma_operation* halves = dma_operation(&copy);
    halves->count[0] = 2;
    halves->source_stride[0] = halves->destination_stride[0] = BYTES / 2;
    halves->run_bytes = BYTES / 2;
    copy.signal_every[0] = 1;
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    sum = to[0];
    sum += to[BYTES - 1];
    wait_for(2);
#elif WRONG == 6  /* writes the source of an operation that is queued behind another */
    describe_copy(&other, 30, bus_address((const void*)to), free_memory(), BYTES);
    command_queue_submit(&dma, &other, 1);
    command_queue_submit(&dma, &copy, 1);
    from[7] = 3;
    wait_for(1);
#elif WRONG == 7  /* time is no evidence */
    command_queue_submit(&dma, &copy, 1);
    for (volatile int i = 0; i < 100000; ++i)
        ;
    sum = to[0];
    wait_for(1);
#elif WRONG == 20 /* waits by interrupt */
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    sum = to[0];
#elif WRONG == 21 /* asks the counter */
    command_queue_submit(&dma, &copy, 1);
    while (sync_read(0) == 0) {
    }
    sum = to[0];
#elif WRONG == 22 /* asks how many are done */
    const uint32_t before = mmio_read32(block + LEVEE_CMD_DONE_COUNT);
    command_queue_submit(&dma, &copy, 1);
    while (mmio_read32(block + LEVEE_CMD_DONE_COUNT) == before) {
    }
    sum = to[0];
    from[0] = 9;
#elif WRONG == 23 /* asks for the status */
    command_queue_submit(&dma, &copy, 1);
    while ((mmio_read32(block + LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_EMPTY) == 0) {
    }
    sum = to[0];
    from[0] = 9;
#elif WRONG == 24 /* the queue's own interrupt */
    copy.flags = LEVEE_DESC_IRQ;
    irq_attach(dma.block->irq, on_done, NULL);
    command_queue_submit(&dma, &copy, 1);
    irq_wait_until(is_done, NULL);
    sum = to[0];
    from[0] = 9;
#elif WRONG == 25 /* sleeps, and is woken by the comparator, without a handler */
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    sync_arm(0, 1);
    command_queue_submit(&dma, &copy, 1);
    __asm__ volatile("wfi" ::: "memory");
    sum = to[0];
    CSR_SET(mstatus, MSTATUS_MIE);
#elif WRONG == 26 /* the source is written before the counter that the operation waits for */
    descriptor_wait(&copy, 0, 2, 1);
    command_queue_submit(&dma, &copy, 1);
    memset((void*)from, 4, sizeof from);
    sync_set(2, 1);
    wait_for(1);
    sum = to[0];
#elif WRONG == 27 /* through another block: the fence waits for the copy, the core for the fence   \
                   */
    descriptor_init(&other, LEVEE_OPCODE_FENCE, 32);
    descriptor_wait(&other, 0, 1, 1);
    descriptor_signal(&other, 0, 0);
    descriptor_signal(&copy, 0, 1);
    command_queue_submit(&rsa, &other, 1);
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    sum = to[0];
    from[0] = 9;
#elif WRONG == 28 /* parts, each as it is signalled, and atomics */
    struct levee_dma_operation* halves = dma_operation(&copy);
    halves->count[0] = 2;
    halves->source_stride[0] = halves->destination_stride[0] = BYTES / 2;
    halves->run_bytes = BYTES / 2;
    copy.signal_every[0] = 1;
    command_queue_submit(&dma, &copy, 1);
    wait_for(1);
    sum = to[0];
    wait_for(2);
    sum += to[BYTES - 1] + __atomic_fetch_add((int*)(void*)&to[8], 1, __ATOMIC_RELAXED);
#endif
    (void)block;
    (void)on_done;
    (void)is_done;
    (void)other;
    return sum == -1;
}
