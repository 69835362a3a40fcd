// SPDX-License-Identifier: Apache-2.0
/* A product of two weight rows with a vector, as one descriptor of the array. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

#include <stdio.h>

static const int16_t x[4] = {1, 10, 100, 1000};
static const int8_t weights[2][4] = {{1, 2, 3, 4}, {5, 6, 7, -8}};
static float y[2];
static struct levee_descriptor work __attribute__((aligned(8)));
static struct command_queue rsa;

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

int main(void)
{
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&work, LEVEE_RSA_GEMM, 0);
    struct levee_rsa_operation* product = rsa_operation(&work);
    product->a = bus_address(x);
    product->a_type = LEVEE_TYPE_INT16;
    product->b = bus_address(weights);
    product->b_type = LEVEE_TYPE_INT8;
    product->b_stride[2] = sizeof weights[0];
    product->flags = LEVEE_RSA_B_TRANSPOSED;
    product->out = bus_address(y);
    product->outer[0] = product->outer[1] = product->m1 = product->m0 = 1;
    product->k = 4;
    product->n = 2;
    product->alpha = 1.0f;
    descriptor_signal(&work, 0, 0); /* adds 1 to counter 0 at the end */

    sync_arm(0, 1);
    command_queue_submit(&rsa, &work, 1);
    irq_wait_until(reached, NULL);
    printf("%d %d\n", (int)y[0], (int)y[1]);
    return 0;
}
