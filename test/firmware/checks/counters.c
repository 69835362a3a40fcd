// SPDX-License-Identifier: Apache-2.0
/* The core and the DMA engine both add to one counter, in the way selected by WRONG. Programs
 * with WRONG from 20 on are correct. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor copy __attribute__((aligned(8)));
static uint8_t bytes[4096] __attribute__((aligned(8)));

int main(void)
{
    struct command_queue dma;
    sync_open();
    dma_open(&dma);
    memset(bytes, 1, sizeof bytes);
    describe_copy(&copy, 91, bus_address(bytes), free_memory(), sizeof bytes);
    descriptor_signal(&copy, 0, 0);
#if WRONG == 1 /* The core happens to add before the copy ends, so no update is lost. */
    command_queue_submit(&dma, &copy, 1);
    sync_set(0, sync_read(0) + 1);
    sync_arm(0, 2);
    irq_wait_until(armed_reached, NULL);
    return 0;
#elif WRONG == 2  /* The copy ends between the core's read and write, so its update is lost. */
    command_queue_submit(&dma, &copy, 1);
    const uint32_t before = sync_read(0);
    for (volatile int i = 0; i < 10000; ++i)
        ;
    sync_set(0, before + 1);
    return sync_read(0) == 2;
#elif WRONG == 20 /* Correct: the sync unit adds atomically. */
    command_queue_submit(&dma, &copy, 1);
    sync_add(0, 1);
    sync_arm(0, 2);
    irq_wait_until(armed_reached, NULL);
    return 0;
#else             /* Correct: while the core reads and sets the counter, no block adds to it. */
    command_queue_submit(&dma, &copy, 1);
    sync_arm(0, 1);
    irq_wait_until(armed_reached, NULL);
    sync_set(0, sync_read(0) + 1);
    const uint32_t counted = sync_read(0);
    sync_set(0, 0);
    command_queue_submit(&dma, &copy, 1);
    sync_arm(0, 1);
    irq_wait_until(armed_reached, NULL);
    return counted != 2;
#endif
}
