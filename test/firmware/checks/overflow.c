// SPDX-License-Identifier: Apache-2.0
/* Rings the doorbell without checking that the queue has free places. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor wait __attribute__((aligned(8)));

int main(void)
{
    struct command_queue rsa;
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&wait, LEVEE_RSA_GEMM, 9);
    descriptor_wait(&wait, 0, 1, 1);
    sync_arm(0, 1);
    for (;;)
        command_queue_submit(&rsa, &wait, 1);
}
