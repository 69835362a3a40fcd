// SPDX-License-Identifier: Apache-2.0
/* Loads and computes at the same time. The DMA engine copies tiles of weights from DRAM to SRAM,
 * and the array multiplies by each tile. Only sync counters order the two units; the core rings two
 * doorbells and sleeps. With one buffer, the engine loads a tile only after the array has finished
 * the previous one. With two buffers, it loads a tile while the array multiplies by the previous
 * one. The rest of the program is the same for both. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>
#include <string.h>

#define TILES 8
#define TOKENS 4
#define COLUMNS 240
#define ROWS 240 /* rows of a tile */
#define TILE_BYTES (ROWS * COLUMNS)

/* Sync counters: tiles loaded, and tiles multiplied. */
enum counter { LOADED, MULTIPLIED };

static struct command_queue dma, rsa;
static struct levee_descriptor loads[TILES] __attribute__((aligned(8)));
static struct levee_descriptor products[TILES] __attribute__((aligned(8)));
static int16_t x[TOKENS][COLUMNS] __attribute__((aligned(8)));
static float y[TILES][TOKENS][ROWS] __attribute__((aligned(8)));

static uint64_t far_tile(int tile)
{
    return system_memory(LEVEE_ROLE_SPILL)->free_base + (uint64_t)tile * TILE_BYTES;
}

static uint64_t near_buffer(int buffer)
{
    return system_memory(LEVEE_ROLE_ACTIVATIONS)->free_base + (uint64_t)buffer * TILE_BYTES;
}

/* Returns the address of x, behind the buffers. The array reads x once for each of its folds of
 * columns. */
static uint64_t near_x(void)
{
    return near_buffer(2);
}

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

static struct levee_dma_operation* one_run(struct levee_descriptor* descriptor, uint8_t opcode)
{
    descriptor_init(descriptor, opcode, 0);
    struct levee_dma_operation* operation = dma_operation(descriptor);
    operation->count[0] = operation->count[1] = operation->count[2] = 1;
    operation->run_bytes = TILE_BYTES;
    return operation;
}

/* Sets all weights of tile t to t + 1. */
static void make_weights(void)
{
    for (int tile = 0; tile < TILES; ++tile) {
        struct levee_dma_operation* fill = one_run(&loads[tile], LEVEE_DMA_FILL);
        fill->destination = far_tile(tile);
        fill->fill = (uint8_t)(tile + 1);
        descriptor_signal(&loads[tile], 0, LOADED);
    }
    sync_arm(LOADED, TILES);
    command_queue_submit(&dma, loads, TILES);
    irq_wait_until(reached, NULL);
    for (int token = 0; token < TOKENS; ++token)
        for (int k = 0; k < COLUMNS; ++k)
            x[token][k] = (int16_t)(k % 16 + token);
    copy_out(near_x(), x, sizeof x, "x");
}

/* Describes a load. It waits until the array has finished the previous tile in the same buffer. */
static void describe_load(int tile, int buffers)
{
    struct levee_dma_operation* copy = one_run(&loads[tile], LEVEE_DMA_COPY);
    copy->source = far_tile(tile);
    copy->destination = near_buffer(tile % buffers);
    if (tile >= buffers)
        descriptor_wait(&loads[tile], 0, MULTIPLIED, (uint32_t)(tile - buffers + 1));
    descriptor_signal(&loads[tile], 0, LOADED);
}

/* Describes a product. It waits until its tile is loaded. */
static void describe_product(int tile, int buffers)
{
    descriptor_init(&products[tile], LEVEE_RSA_GEMM, (uint32_t)tile);
    struct levee_rsa_operation* product = rsa_operation(&products[tile]);
    product->a = near_x();
    product->a_type = LEVEE_TYPE_INT16;
    product->a_stride[3] = sizeof x[0];
    product->b = near_buffer(tile % buffers);
    product->b_type = LEVEE_TYPE_INT8;
    product->b_stride[2] = COLUMNS;
    product->flags = LEVEE_RSA_B_TRANSPOSED;
    product->out = bus_address(y[tile]);
    product->out_stride[3] = sizeof y[0][0];
    product->outer[0] = product->outer[1] = product->m1 = 1;
    product->m0 = TOKENS;
    product->k = COLUMNS;
    product->n = ROWS;
    product->alpha = 1.0f;
    descriptor_wait(&products[tile], 0, LOADED, (uint32_t)(tile + 1));
    descriptor_signal(&products[tile], 0, MULTIPLIED);
}

static int wrong_results(void)
{
    int wrong = 0;
    for (int token = 0; token < TOKENS; ++token) {
        int32_t sum = 0;
        for (int k = 0; k < COLUMNS; ++k)
            sum += x[token][k];
        for (int tile = 0; tile < TILES; ++tile)
            for (int row = 0; row < ROWS; ++row)
                wrong += y[tile][token][row] != (float)(sum * (tile + 1));
    }
    return wrong;
}

/* Runs all tiles. Returns the cycles from the first doorbell to the last result. */
static uint64_t run(int buffers)
{
    memset(y, 0, sizeof y);
    sync_set(LOADED, 0);
    sync_set(MULTIPLIED, 0);
    for (int tile = 0; tile < TILES; ++tile) {
        describe_load(tile, buffers);
        describe_product(tile, buffers);
    }
    sync_arm(MULTIPLIED, TILES);
    const uint64_t begun = timer_cycles();
    command_queue_submit(&dma, loads, TILES);
    command_queue_submit(&rsa, products, TILES);
    irq_wait_until(reached, NULL);
    const uint64_t cycles = timer_cycles() - begun;
    const int wrong = wrong_results();
    if (wrong != 0)
        fatal(EXIT_BLOCK, "with %d buffers %d results are wrong", buffers, wrong);
    return cycles;
}

int main(void)
{
    if (system_memory(LEVEE_ROLE_SPILL) == NULL || system_memory(LEVEE_ROLE_ACTIVATIONS) == NULL)
        fatal(EXIT_REFUSED, "this system lacks a second memory to copy between");
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    make_weights();
    const uint64_t sequential = run(1);
    const uint64_t overlapped = run(2);
    printf("sequential  %lu cycles\noverlapped  %lu cycles\n", (unsigned long)sequential,
           (unsigned long)overlapped);
    hostlink_metric_u64("overlap.sequential_cycles", sequential);
    hostlink_metric_u64("overlap.overlapped_cycles", overlapped);
    return 0;
}
