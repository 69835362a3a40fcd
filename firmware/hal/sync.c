// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/sync.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "ip/sync/regs.h"

static uintptr_t base;
static volatile int reached;

static void on_interrupt(void* context)
{
    (void)context;
    mmio_write32(base + LEVEE_SYNC_IRQ_ENABLE, 0);
    reached = 1;
}

void sync_open(void)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_SYNC);
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no sync block");
    base = block->base;
    irq_attach(block->irq, on_interrupt, NULL);
}

uint32_t sync_counters(void)
{
    return mmio_read32(base + LEVEE_SYNC_COUNTERS);
}

uint32_t sync_read(uint32_t counter)
{
    return mmio_read32(base + LEVEE_SYNC_VALUE(counter));
}

void sync_set(uint32_t counter, uint32_t value)
{
    mmio_write32(base + LEVEE_SYNC_VALUE(counter), value);
}

void sync_add(uint32_t counter, uint32_t amount)
{
    mmio_write32(base + LEVEE_SYNC_ADD(counter), amount);
}

void sync_arm(uint32_t counter, uint32_t value)
{
    reached = 0;
    mmio_write32(base + LEVEE_SYNC_IRQ_COUNTER, counter);
    mmio_write32(base + LEVEE_SYNC_IRQ_VALUE, value);
    mmio_write32(base + LEVEE_SYNC_IRQ_ENABLE, 1);
}

int sync_reached(void)
{
    return reached;
}
