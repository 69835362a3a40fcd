// SPDX-License-Identifier: Apache-2.0
/* Runs one small job with a known result on every block of the system, and one job that must fail.
 * Prints a line for each job. The exit code is the number of failures. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"
#include "ip/sync/regs.h"

#include <stdio.h>
#include <string.h>

#define COUNTER 0
#define TAG 0x5E1F0000u

static int failures;
static struct levee_descriptor descriptor __attribute__((aligned(8)));

static void report(const char* what, bool good)
{
    printf("%-36s %s\n", what, good ? "ok" : "FAILED");
    failures += !good;
}

static bool has(uint32_t type, const char* what)
{
    if (system_block(type) != NULL)
        return true;
    printf("%-36s not in this system\n", what);
    return false;
}

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* Runs a single descriptor and sleeps until it has signalled. */
static void run(struct command_queue* queue)
{
    sync_set(COUNTER, 0);
    descriptor_signal(&descriptor, 0, COUNTER);
    sync_arm(COUNTER, 1);
    command_queue_submit(queue, &descriptor, command_queue_room(queue, 1) != 0);
    irq_wait_until(reached, NULL);
}

static void test_timer(void)
{
    const uint64_t ticks = timer_ticks(), cycles = timer_cycles();
    for (volatile int i = 0; i < 1000; ++i)
        ;
    report("timer: mtime and mcycle advance", timer_ticks() > ticks && timer_cycles() > cycles);
}

static void test_sync(void)
{
    const uintptr_t base = system_block(LEVEE_BLOCK_SYNC)->base;
    sync_set(COUNTER, 0xFFFFFFFEu);
    sync_arm(COUNTER, 1); /* three more increments, across the wrap */
    mmio_write32(base + LEVEE_SYNC_ADD(COUNTER), 2);
    const bool early = sync_reached();
    mmio_write32(base + LEVEE_SYNC_ADD(COUNTER), 1);
    irq_wait_until(reached, NULL);
    report("sync: interrupt at the value", !early && sync_read(COUNTER) == 1);
}

static void dma_copy(struct command_queue* dma, uint64_t destination, uint64_t source,
                     uint32_t bytes)
{
    descriptor_init(&descriptor, LEVEE_DMA_COPY, TAG + 1);
    struct levee_dma_operation* copy = dma_operation(&descriptor);
    copy->source = source;
    copy->destination = destination;
    copy->count[0] = copy->count[1] = copy->count[2] = 1;
    copy->run_bytes = bytes;
    run(dma);
}

static void test_dma(void)
{
    static struct command_queue dma;
    static uint8_t sent[96] __attribute__((aligned(8))), received[96] __attribute__((aligned(8)));
    const struct levee_memory_info* far = system_memory(LEVEE_ROLE_ACTIVATIONS | LEVEE_ROLE_SPILL);
    dma_open(&dma);
    for (unsigned i = 0; i < sizeof sent; ++i)
        sent[i] = (uint8_t)(7 * i + 1);
    const uint64_t via = far != NULL ? far->free_base : bus_address(received);
    dma_copy(&dma, via, bus_address(sent), sizeof sent);
    if (far != NULL)
        dma_copy(&dma, bus_address(received), via, sizeof sent);
    report("dma: there and back", memcmp(sent, received, sizeof sent) == 0);

    descriptor_init(&descriptor, LEVEE_DMA_FILL, TAG + 2);
    struct levee_dma_operation* fill = dma_operation(&descriptor);
    fill->destination = bus_address(received);
    fill->destination_stride[0] = 32;
    fill->count[0] = 3;
    fill->count[1] = fill->count[2] = 1;
    fill->run_bytes = 4;
    fill->fill = 0xA5;
    run(&dma);
    bool good = true;
    for (unsigned i = 0; i < sizeof received; ++i)
        good = good && received[i] == (i % 32 < 4 ? 0xA5 : sent[i]);
    report("dma: strided fill", good);
}

static void test_rsa(void)
{
    static struct command_queue rsa;
    /* The product of a [2][3] matrix and a transposed [2][3] matrix, with row scales 0.5 and 2,
     * and biases 1 and -1. */
    static const int16_t a[2][4] = {{1000, -2000, 3}, {-4, 5, 600}};
    static const int8_t b[2][4] = {{1, 2, 3}, {-4, 5, -6}};
    static const float scale[2] = {0.5f, 2.0f}, bias[2] = {1.0f, -1.0f};
    static const float expected[2][2] = {{-1494.5f, -28037.0f}, {904.0f, -7119.0f}};
    static float out[2][2];
    rsa_open(&rsa);
    descriptor_init(&descriptor, LEVEE_RSA_GEMM, TAG + 3);
    struct levee_rsa_operation* gemm = rsa_operation(&descriptor);
    gemm->a = bus_address(a);
    gemm->a_type = LEVEE_TYPE_INT16;
    gemm->a_stride[2] = sizeof a[0];
    gemm->b = bus_address(b);
    gemm->b_type = LEVEE_TYPE_INT8;
    gemm->b_stride[2] = sizeof b[0];
    gemm->b_scale = bus_address(scale);
    gemm->b_scale_stride[2] = sizeof scale[0];
    gemm->bias = bus_address(bias);
    gemm->out = bus_address(out);
    gemm->out_stride[2] = sizeof out[0];
    gemm->outer[0] = gemm->outer[1] = gemm->m0 = 1;
    gemm->m1 = 2;
    gemm->k = 3;
    gemm->n = 2;
    gemm->alpha = 1.0f;
    gemm->flags = LEVEE_RSA_B_TRANSPOSED;
    run(&rsa);
    report("rsa: matrix product", memcmp(out, expected, sizeof out) == 0);
}

static void prepare_add(const float* x, const float* y, float* out, uint32_t n)
{
    descriptor_init(&descriptor, LEVEE_SFU_ADD, TAG + 4);
    struct levee_sfu_operation* add = sfu_operation(&descriptor);
    add->x = bus_address(x);
    add->y = bus_address(y);
    add->out = bus_address(out);
    add->outer[0] = add->outer[1] = add->rows = 1;
    add->n = n;
    add->x_type = add->out_type = LEVEE_TYPE_FP32;
}

static struct command_error seen;
static volatile bool stopped;

static void on_error(struct command_queue* queue, const struct command_error* error)
{
    (void)queue;
    seen = *error;
    stopped = true;
}

static bool has_stopped(void* context)
{
    (void)context;
    return stopped;
}

static void test_sfu(void)
{
    static struct command_queue sfu;
    static const float x[3] = {1.5f, -2.0f, 1e9f}, y[3] = {0.25f, 2.0f, 1.0f};
    static const float expected[3] = {1.75f, 0.0f, 1e9f};
    static float out[3];
    sfu_open(&sfu);
    prepare_add(x, y, out, 3);
    run(&sfu);
    report("sfu: addition", memcmp(out, expected, sizeof out) == 0);

    sfu.on_error = on_error;
    prepare_add(x, y, out, 3);
    descriptor.opcode = 0xEE;
    descriptor.tag = TAG + 5;
    const uint32_t taken = sfu.submitted;
    command_queue_submit(&sfu, &descriptor, 1);
    irq_wait_until(has_stopped, NULL);
    report("sfu: malformed descriptor refused",
           seen.code == LEVEE_ERROR_OPCODE && seen.index == taken && seen.tag == TAG + 5);

    command_queue_reset(&sfu);
    memset(out, 0, sizeof out);
    prepare_add(x, y, out, 3);
    run(&sfu);
    report("sfu: goes on after a reset", memcmp(out, expected, sizeof out) == 0);
}

int main(void)
{
    test_timer();
    if (!has(LEVEE_BLOCK_SYNC, "sync"))
        return failures;
    sync_open();
    test_sync();
    if (has(LEVEE_BLOCK_DMA, "dma"))
        test_dma();
    if (has(LEVEE_BLOCK_RSA, "rsa"))
        test_rsa();
    if (has(LEVEE_BLOCK_SFU, "sfu"))
        test_sfu();
    printf("%d failures\n", failures);
    return failures;
}
