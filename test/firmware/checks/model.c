// SPDX-License-Identifier: Apache-2.0
/* Writes to the image of the model, in a way selected by WRONG. */
#include "core/abi/model_image.h"
#include "test/firmware/checks/wrong.h"

int main(void)
{
    static int8_t words[64] __attribute__((aligned(8)));
    static struct levee_descriptor descriptor __attribute__((aligned(8)));
    struct command_queue dma;
    const uint64_t image = system_info()->workload.model_address;
    sync_open();
    dma_open(&dma);
    memset(words, 1, sizeof words);
    const uint64_t weights = image + 65536;
#if WRONG == 1 /* A block overwrites the model. */
    describe_copy(&descriptor, 74, bus_address(words), weights, sizeof words);
#else /* The core writes the header of the image, and a copy reads the image. */
    *(volatile uint32_t*)core_window(image, sizeof(uint32_t)) = LEVEE_MODEL_MAGIC;
    describe_copy(&descriptor, 75, weights, bus_address(words), sizeof words);
#endif
    descriptor_signal(&descriptor, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&dma, &descriptor, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
