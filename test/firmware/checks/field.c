// SPDX-License-Identifier: Apache-2.0
/* Submits a product without its inner dimension. */
#include "test/firmware/checks/wrong.h"

static struct levee_descriptor product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue rsa;
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&product, LEVEE_RSA_GEMM, 77);
    struct levee_rsa_operation* gemm = rsa_operation(&product);
    gemm->outer[0] = gemm->outer[1] = gemm->m1 = gemm->m0 = 1;
    gemm->n = 16;
    descriptor_signal(&product, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&rsa, &product, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}
