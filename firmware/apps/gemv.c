// SPDX-License-Identifier: Apache-2.0
/* Computes one matrix-vector product on the array. The core writes the weights to the accelerators'
 * memory, fills in a descriptor, rings the doorbell and sleeps. It then computes the same product
 * itself and compares the results. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>

#define ROWS 48
#define COLUMNS 64
#define COUNTER 0

static int8_t weights[ROWS][COLUMNS];
static float scales[ROWS]; /* scale of each row of the weights */
static int16_t x[COLUMNS];
static float y[ROWS];
static struct levee_descriptor descriptor __attribute__((aligned(8)));

static void invent_numbers(void)
{
    for (int row = 0; row < ROWS; ++row) {
        scales[row] = row % 2 == 0 ? 0.5f : 0.25f;
        for (int k = 0; k < COLUMNS; ++k)
            weights[row][k] = (int8_t)((row * 7 + k * 3) % 255 - 127);
    }
    for (int k = 0; k < COLUMNS; ++k)
        x[k] = (int16_t)(k * 100 - 3000);
}

/* Describes y = (weights x) * scales. `weights_address` is an address in the accelerators' map. */
static void describe_product(uint64_t weights_address)
{
    descriptor_init(&descriptor, LEVEE_RSA_GEMM, 1);
    struct levee_rsa_operation* product = rsa_operation(&descriptor);
    product->a = bus_address(x);
    product->a_type = LEVEE_TYPE_INT16;
    product->b = weights_address;
    product->b_type = LEVEE_TYPE_INT8;
    product->b_stride[2] = COLUMNS; /* bytes from one row to the next */
    product->b_scale = bus_address(scales);
    product->b_scale_stride[2] = sizeof scales[0];
    product->flags = LEVEE_RSA_B_TRANSPOSED; /* each row of the weights belongs to one element of
                                                y */
    product->out = bus_address(y);
    product->outer[0] = product->outer[1] = product->m1 = product->m0 = 1;
    product->k = COLUMNS;
    product->n = ROWS;
    product->alpha = 1.0f;
    descriptor_signal(&descriptor, 0, COUNTER);
}

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* Returns how many rows are right. Integer sums are exact and these scales are powers of two, so
 * every bit must match. */
static int rows_right(void)
{
    int right = 0;
    for (int row = 0; row < ROWS; ++row) {
        int32_t sum = 0;
        for (int k = 0; k < COLUMNS; ++k)
            sum += weights[row][k] * x[k];
        right += y[row] == (float)sum * scales[row];
    }
    return right;
}

int main(void)
{
    static struct command_queue rsa;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    if (memory == NULL)
        fatal(EXIT_REFUSED, "this system has no memory for activations");
    sync_open();
    rsa_open(&rsa);
    invent_numbers();
    copy_out(memory->free_base, weights, sizeof weights, "the weights");
    describe_product(memory->free_base);

    const uint64_t begun = timer_cycles();
    sync_arm(COUNTER, 1);
    command_queue_submit(&rsa, &descriptor, 1);
    irq_wait_until(reached, NULL);
    const uint64_t cycles = timer_cycles() - begun;

    const int right = rows_right();
    printf("y[0] = %ld, y[1] = %ld, y[47] = %ld\n", (long)y[0], (long)y[1], (long)y[47]);
    printf("%d of %d rows right, %lu cycles from doorbell to wake-up\n", right, ROWS,
           (unsigned long)cycles);
    hostlink_metric_u64("gemv.cycles", cycles);
    return right == ROWS ? 0 : 1;
}
