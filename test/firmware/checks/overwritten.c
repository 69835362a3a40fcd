// SPDX-License-Identifier: Apache-2.0
/* Uses one descriptor for two copies. The second is written while the first is still queued. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor fence __attribute__((aligned(8)));
static struct levee_descriptor copy __attribute__((aligned(8)));

int main(void)
{
    static uint32_t words[16];
    struct command_queue dma;
    sync_open();
    dma_open(&dma);
    descriptor_init(&fence, LEVEE_OPCODE_FENCE, 60);
    descriptor_wait(&fence, 0, 3, 1);
    command_queue_submit(&dma, &fence, 1);
    for (uint32_t i = 0; i < 2; ++i) {
        describe_copy(&copy, 61 + i, bus_address(words), free_memory() + 64 * i, sizeof words);
        descriptor_signal(&copy, 0, 0);
        command_queue_submit(&dma, &copy, 1);
    }
    sync_arm(0, 2);
    sync_set(3, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
