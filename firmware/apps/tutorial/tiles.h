// SPDX-License-Identifier: Apache-2.0
/* The work: eight tiles of weights are in DRAM. Each is copied to SRAM, where the array reads it
 * for a product. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/drivers/rsa.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>

#define TILES 8
#define TOKENS 4
#define SIDE 240 /* a tile is SIDE x SIDE weights of one byte */
#define TILE_BYTES (SIDE * SIDE)

enum { LOADED, MULTIPLIED }; /* sync counters: tiles loaded, tiles multiplied */

static struct command_queue dma, rsa;
static struct levee_descriptor loads[TILES] __attribute__((aligned(8)));
static struct levee_descriptor products[TILES] __attribute__((aligned(8)));
static int16_t x[TOKENS][SIDE] __attribute__((aligned(8)));
static float y[TILES][TOKENS][SIDE] __attribute__((aligned(8)));
static uint64_t dram, sram;

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* Sleeps until the counter has reached the value. */
static void sleep_until(uint32_t counter, uint32_t value)
{
    sync_arm(counter, value);
    irq_wait_until(reached, NULL);
}

/* Describes a copy of a tile from DRAM to one of the two buffers in SRAM. */
static void describe_load(int tile, int buffer)
{
    descriptor_init(&loads[tile], LEVEE_DMA_COPY, tile);
    struct levee_dma_operation* copy = dma_operation(&loads[tile]);
    copy->source = dram + tile * TILE_BYTES;
    copy->destination = sram + buffer * TILE_BYTES;
    copy->count[0] = copy->count[1] = copy->count[2] = 1;
    copy->run_bytes = TILE_BYTES;
    descriptor_signal(&loads[tile], 0, LOADED);
}

/* Describes the product y[tile] = x * (the tile in that buffer). */
static void describe_product(int tile, int buffer)
{
    descriptor_init(&products[tile], LEVEE_RSA_GEMM, tile);
    struct levee_rsa_operation* product = rsa_operation(&products[tile]);
    product->a = sram + 2 * TILE_BYTES; /* x is stored after the two buffers */
    product->a_type = LEVEE_TYPE_INT16;
    product->a_stride[3] = sizeof x[0];
    product->b = sram + buffer * TILE_BYTES;
    product->b_type = LEVEE_TYPE_INT8;
    product->b_stride[2] = SIDE;
    product->flags = LEVEE_RSA_B_TRANSPOSED;
    product->out = bus_address(y[tile]);
    product->out_stride[3] = sizeof y[0][0];
    product->outer[0] = product->outer[1] = product->m1 = 1;
    product->m0 = TOKENS;
    product->k = product->n = SIDE;
    product->alpha = 1.0f;
    descriptor_signal(&products[tile], 0, MULTIPLIED);
}

/* Opens the blocks. Sets all weights of tile t to t + 1, and all elements of x to 1. */
static void tiles_open(void)
{
    sync_open();
    dma_open(&dma);
    rsa_open(&rsa);
    dram = system_memory(LEVEE_ROLE_SPILL)->free_base;
    sram = system_memory(LEVEE_ROLE_ACTIVATIONS)->free_base;
    for (int tile = 0; tile < TILES; ++tile) {
        describe_load(tile, 0);
        loads[tile].opcode = LEVEE_DMA_FILL;
        dma_operation(&loads[tile])->destination = dram + tile * TILE_BYTES;
        dma_operation(&loads[tile])->fill = tile + 1;
    }
    command_queue_submit(&dma, loads, TILES);
    sleep_until(LOADED, TILES);
    sync_set(LOADED, 0);
    for (int token = 0; token < TOKENS; ++token)
        for (int k = 0; k < SIDE; ++k)
            x[token][k] = 1;
    copy_out(sram + 2 * TILE_BYTES, x, sizeof x, "x");
}

/* Prints the elapsed time, and whether every result equals the expected sum. */
static int tiles_close(uint64_t begun)
{
    const unsigned long cycles = timer_cycles() - begun;
    int wrong = 0;
    for (int tile = 0; tile < TILES; ++tile)
        for (int token = 0; token < TOKENS; ++token)
            for (int row = 0; row < SIDE; ++row)
                wrong += y[tile][token][row] != (float)(SIDE * (tile + 1));
    printf("%lu cycles, %d results wrong\n", cycles, wrong);
    return wrong != 0;
}
