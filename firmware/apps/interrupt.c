// SPDX-License-Identifier: Apache-2.0
/* Handles interrupts. One handler serves, through the PLIC, the two causes of a block's interrupt:
 * an operation is done, or an error has stopped the queue. Another handler serves the timer,
 * through the CLINT. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>

/* The handlers write these variables, and main reads them. */
static volatile uint32_t done, stopped, error_code, error_tag;
static volatile uint64_t rang_at;

static struct command_queue dma;
static struct levee_descriptor descriptor __attribute__((aligned(8)));
static uint8_t bytes[64] __attribute__((aligned(8)));

/* The status register shows the interrupt's causes. Writing the same value back clears exactly
 * these causes, so a cause that arises later interrupts again. The HAL claims the interrupt at the
 * PLIC before it calls this handler, and completes it afterwards. */
static void on_dma(void* context)
{
    const uintptr_t base = dma.block->base;
    const uint32_t status = mmio_read32(base + LEVEE_CMD_IRQ_STATUS);
    (void)context;
    mmio_write32(base + LEVEE_CMD_IRQ_STATUS, status);
    if (status & LEVEE_CMD_IRQ_DONE)
        ++done;
    if (status & LEVEE_CMD_IRQ_ERROR) {
        ++stopped;
        error_code = mmio_read32(base + LEVEE_CMD_ERROR_CODE);
        error_tag = mmio_read32(base + LEVEE_CMD_ERROR_TAG);
    }
}

static void on_timer(void* context)
{
    (void)context;
    rang_at = timer_ticks();
}

static bool is_done(void* context)
{
    (void)context;
    return done != 0;
}

static bool has_stopped(void* context)
{
    (void)context;
    return stopped != 0;
}

static bool has_rung(void* context)
{
    (void)context;
    return rang_at != 0;
}

static void submit_fill(uint8_t opcode, uint32_t tag)
{
    descriptor_init(&descriptor, opcode, tag);
    descriptor.flags = LEVEE_DESC_IRQ; /* without it, completion raises no interrupt */
    struct levee_dma_operation* fill = dma_operation(&descriptor);
    fill->destination = bus_address(bytes);
    fill->count[0] = fill->count[1] = fill->count[2] = 1;
    fill->run_bytes = sizeof bytes;
    fill->fill = 0xA5;
    command_queue_submit(&dma, &descriptor, 1);
}

int main(void)
{
    dma_open(&dma);
    irq_attach(dma.block->irq, on_dma, NULL); /* replaces the driver's handler */

    submit_fill(LEVEE_DMA_FILL, 1);
    irq_wait_until(is_done, NULL);
    printf("done: %lu interrupt, the last byte is 0x%02x\n", (unsigned long)done,
           bytes[sizeof bytes - 1]);

    submit_fill(0xEE, 2); /* the block has no operation 0xEE */
    irq_wait_until(has_stopped, NULL);
    printf("stopped: error %lu at the descriptor with tag %lu\n", (unsigned long)error_code,
           (unsigned long)error_tag);

    const uint64_t alarm = timer_ticks() + 100;
    timer_alarm(alarm, on_timer, NULL);
    irq_wait_until(has_rung, NULL);
    printf("timer: %s\n", rang_at >= alarm ? "100 ticks later" : "too early");

    const bool good = done == 1 && bytes[sizeof bytes - 1] == 0xA5 && stopped == 1 &&
                      error_code == LEVEE_ERROR_OPCODE && error_tag == 2 && rang_at >= alarm;
    return good ? 0 : 1;
}
