// SPDX-License-Identifier: Apache-2.0
/* Copies from memory that was never written. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor copy __attribute__((aligned(8)));

int main(void)
{
    static uint32_t words[16];
    struct command_queue dma;
    sync_open();
    dma_open(&dma);
    for (unsigned i = 0; i < 16; ++i)
        words[i] = i;
    copy_out(free_memory(), words, sizeof words, "the half that is written");
    describe_copy(&copy, 21, free_memory(), free_memory() + 4096, 2 * sizeof words);
    descriptor_signal(&copy, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&dma, &copy, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
