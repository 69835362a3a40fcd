// SPDX-License-Identifier: Apache-2.0
/* Copies from beyond the end of all memories. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor copy __attribute__((aligned(8)));

int main(void)
{
    struct command_queue dma;
    sync_open();
    dma_open(&dma);
    describe_copy(&copy, 78, 0x7000000000000000u, free_memory(), 64);
    descriptor_signal(&copy, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&dma, &copy, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
