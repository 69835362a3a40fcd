// SPDX-License-Identifier: Apache-2.0
/* Like deadlock.c, but the core polls instead of sleeping. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue rsa;
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&product, LEVEE_RSA_GEMM, 43);
    descriptor_wait(&product, 0, 6, 1);
    descriptor_signal(&product, 0, 0);
    command_queue_submit(&rsa, &product, 1);
    while (sync_read(0) == 0) {
    }
    return 0;
}
