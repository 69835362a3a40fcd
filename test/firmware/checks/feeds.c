// SPDX-License-Identifier: Apache-2.0
/* main() and an interrupt handler both submit to one queue, in the way selected by WRONG. Programs
 * with WRONG from 20 on are correct. */
#include "firmware/hal/csr.h"
#include "firmware/hal/timer.h"
#include "test/firmware/checks/wrong.h"

#define COPIES 8

static struct levee_descriptor copies[COPIES] __attribute__((aligned(8)));
static uint8_t bytes[4096] __attribute__((aligned(8)));
static struct command_queue dma;
static volatile uint32_t next, done;

static void feed(void)
{
    if (next == COPIES)
        return;
    command_queue_submit(&dma, &copies[next], 1);
    ++next;
}

__attribute__((unused)) static void on_done(void* context)
{
    (void)context;
    mmio_write32(dma.block->base + LEVEE_CMD_IRQ_STATUS, LEVEE_CMD_IRQ_DONE);
    feed();
}

__attribute__((unused)) static void on_timer(void* context)
{
    (void)context;
    feed();
}

static bool is_done(void* context)
{
    (void)context;
    done = mmio_read32(dma.block->base + LEVEE_CMD_DONE_COUNT);
    return done == next && next >= 4;
}

int main(void)
{
    dma_open(&dma);
    memset(bytes, 1, sizeof bytes);
    for (int i = 0; i < COPIES; ++i) {
        describe_copy(&copies[i], 92, bus_address(bytes), free_memory() + i * sizeof bytes,
                      sizeof bytes);
        copies[i].flags = LEVEE_DESC_IRQ;
    }
#if WRONG == 1 /* main() continues to submit while the first copy's handler also submits. */
    irq_attach(dma.block->irq, on_done, NULL);
    feed();
    feed();
#elif WRONG == 2  /* Both a timer's handler and main() submit. */
    timer_alarm(timer_ticks() + 20, on_timer, NULL);
    feed();
    feed();
    feed();
#elif WRONG == 20 /* Correct: main() runs with interrupts masked. */
    irq_attach(dma.block->irq, on_done, NULL);
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    feed();
    feed();
    CSR_SET(mstatus, MSTATUS_MIE);
#else             /* main() submits first, and only the handler submits afterwards. */
    irq_attach(dma.block->irq, on_done, NULL);
    feed();
#endif
    irq_wait_until(is_done, NULL);
    return 0;
}
