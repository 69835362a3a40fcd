// SPDX-License-Identifier: Apache-2.0
/* Computes one attention head, scheduled by hand. The array computes the scores q K, the function
 * unit their softmax p, and the array the sum p V. Each operation waits for a counter that the
 * previous operation increments. The core submits all three operations at once and sleeps until the
 * last is done. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>

#define TOKENS 96
#define DIM 64
#define CHOSEN 37 /* the token whose key matches the query */

/* Sync counters: the number of operations that each block has completed. */
enum counter { RSA_DONE, SFU_DONE };
enum { SCORES, MIX, RSA_OPERATIONS };

static struct levee_descriptor rsa_work[RSA_OPERATIONS] __attribute__((aligned(8)));
static struct levee_descriptor sfu_work[1] __attribute__((aligned(8)));

/* Operands are integers with one scale per vector, like all operands in Levee. */
static int16_t query[DIM], keys[TOKENS][DIM], values[TOKENS][DIM];
static float query_scale[1], key_scales[TOKENS], value_scales[TOKENS];
static float scores[TOKENS], mixed[DIM];
static int16_t probabilities[TOKENS];
static float probability_scale[1];

/* Fills in the operands. The query matches one key fully and is orthogonal to all others. */
static void invent_numbers(void)
{
    query_scale[0] = 1.0f / 1024;
    for (int i = 0; i < DIM; ++i)
        query[i] = 2048;
    for (int token = 0; token < TOKENS; ++token) {
        key_scales[token] = 1.0f / 1024;
        value_scales[token] = 0.5f;
        for (int i = 0; i < DIM; ++i) {
            keys[token][i] = token == CHOSEN || i % 2 == 0 ? 2048 : -2048;
            values[token][i] = (int16_t)(2 * (100 * token + i));
        }
    }
}

static struct levee_rsa_operation* product(int index, const void* a, const float* a_scale,
                                           uint64_t b, const float* out, uint32_t k, uint32_t n)
{
    descriptor_init(&rsa_work[index], LEVEE_RSA_GEMM, (uint32_t)index);
    struct levee_rsa_operation* operation = rsa_operation(&rsa_work[index]);
    operation->a = bus_address(a);
    operation->a_scale = bus_address(a_scale);
    operation->b = b;
    operation->a_type = operation->b_type = LEVEE_TYPE_INT16;
    operation->b_stride[2] = DIM * sizeof(int16_t); /* keys and values are stored token by token */
    operation->out = bus_address(out);
    operation->outer[0] = operation->outer[1] = operation->m1 = operation->m0 = 1;
    operation->k = k;
    operation->n = n;
    operation->alpha = 1.0f;
    descriptor_signal(&rsa_work[index], 0, RSA_DONE);
    return operation;
}

static void describe_scores(uint64_t keys_address)
{
    struct levee_rsa_operation* operation =
        product(SCORES, query, query_scale, keys_address, scores, DIM, TOKENS);
    operation->flags = LEVEE_RSA_B_TRANSPOSED; /* a column of B is a token, so the keys are read as
                                                * they are stored */
    operation->b_scale = bus_address(key_scales);
    operation->b_scale_stride[2] = sizeof key_scales[0];
    operation->alpha = 0.125f; /* 1 / sqrt(DIM) */
}

/* Describes the softmax. It multiplies the values' scales into the probabilities, so that the
 * following sum needs only integers. */
static void describe_softmax(void)
{
    descriptor_init(&sfu_work[0], LEVEE_SFU_SOFTMAX, 0);
    struct levee_sfu_operation* operation = sfu_operation(&sfu_work[0]);
    operation->x = bus_address(scores);
    operation->x_type = LEVEE_TYPE_FP32;
    operation->y = bus_address(value_scales);
    operation->y_stride[2] = sizeof value_scales[0];
    operation->out = bus_address(probabilities);
    operation->out_type = LEVEE_TYPE_INT16;
    operation->out_scale = bus_address(probability_scale);
    operation->outer[0] = operation->outer[1] = operation->rows = 1;
    operation->n = TOKENS;
    descriptor_wait(&sfu_work[0], 0, RSA_DONE, 1); /* scores are in memory */
    descriptor_signal(&sfu_work[0], 0, SFU_DONE);
}

static void describe_mix(uint64_t values_address)
{
    product(MIX, probabilities, probability_scale, values_address, mixed, TOKENS, DIM);
    descriptor_wait(&rsa_work[MIX], 0, SFU_DONE, 1); /* probabilities are in memory */
}

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

static uint64_t run(void)
{
    static struct command_queue rsa, sfu;
    rsa_open(&rsa);
    sfu_open(&sfu);
    const uint64_t begun = timer_cycles();
    sync_arm(RSA_DONE, RSA_OPERATIONS);
    command_queue_submit(&rsa, rsa_work, RSA_OPERATIONS);
    command_queue_submit(&sfu, sfu_work, 1);
    irq_wait_until(reached, NULL);
    return timer_cycles() - begun;
}

/* Returns how many elements are right. One token has all the weight, so the result is its value, up
 * to the rounding of probabilities. */
static int elements_right(void)
{
    int right = 0;
    for (int i = 0; i < DIM; ++i) {
        const float error = mixed[i] - (float)(100 * CHOSEN + i);
        right += error < 0.5f && error > -0.5f;
    }
    return right;
}

int main(void)
{
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    if (memory == NULL)
        fatal(EXIT_REFUSED, "this system has no memory for activations");
    const uint64_t keys_address = memory->free_base, values_address = keys_address + sizeof keys;
    sync_open();
    invent_numbers();
    copy_out(keys_address, keys, sizeof keys, "the keys");
    copy_out(values_address, values, sizeof values, "the values");
    describe_scores(keys_address);
    describe_softmax();
    describe_mix(values_address);

    const uint64_t cycles = run();
    const int right = elements_right();
    printf("score %ld for token %d, %ld for its neighbour\n", (long)scores[CHOSEN], CHOSEN,
           (long)scores[CHOSEN + 1]);
    printf("%d of %d output elements equal the token's value, three operations took %lu cycles\n",
           right, DIM, (unsigned long)cycles);
    hostlink_metric_u64("attention_head.cycles", cycles);
    return right == DIM ? 0 : 1;
}
