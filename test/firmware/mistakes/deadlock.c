// SPDX-License-Identifier: Apache-2.0
/* The product waits for counter 5, which nobody adds to, and the core for the product. */
#include "test/firmware/mistakes/wrong.h"

static struct levee_descriptor product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue rsa;
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&product, LEVEE_RSA_GEMM, 42);
    descriptor_wait(&product, 0, 5, 3);
    descriptor_signal(&product, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&rsa, &product, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
