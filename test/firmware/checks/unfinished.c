// SPDX-License-Identifier: Apache-2.0
/* Exits while the second of three copies waits. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor copies[3] __attribute__((aligned(8)));

int main(void)
{
    static uint32_t words[16];
    struct command_queue dma;
    sync_open();
    dma_open(&dma);
    for (unsigned i = 0; i < 3; ++i)
        describe_copy(&copies[i], 51 + i, bus_address(words), free_memory(), sizeof words);
    descriptor_wait(&copies[1], 0, 4, 1);
    descriptor_signal(&copies[0], 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&dma, copies, 3);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
