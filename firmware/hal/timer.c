// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/timer.h"

#include "core/abi/boot_info.h"
#include "firmware/hal/mmio.h"

/* The CLINT's registers at the usual offsets: hart 0's mtimecmp, and mtime. */
#define CLINT_MTIMECMP (LEVEE_CLINT_BASE + 0x4000u)
#define CLINT_MTIME (LEVEE_CLINT_BASE + 0xBFF8u)

uint64_t timer_ticks(void)
{
    uint32_t high, low;
    do {
        high = mmio_read32(CLINT_MTIME + 4);
        low = mmio_read32(CLINT_MTIME);
    } while (high != mmio_read32(CLINT_MTIME + 4));
    return (uint64_t)high << 32 | low;
}

void timer_alarm(uint64_t ticks, irq_handler handler, void* context)
{
    /* With this order of writes, the comparator is never below the new value in between (Privileged
     * Architecture, 3.2.1). */
    mmio_write32(CLINT_MTIMECMP + 4, 0xFFFFFFFFu);
    mmio_write32(CLINT_MTIMECMP, (uint32_t)ticks);
    mmio_write32(CLINT_MTIMECMP + 4, (uint32_t)(ticks >> 32));
    irq_attach_timer(handler, context);
}

static void wake(void* context)
{
    *(volatile bool*)context = true;
}

static bool is_awake(void* context)
{
    return *(volatile bool*)context;
}

void timer_sleep_until(uint64_t ticks)
{
    bool awake = false;
    timer_alarm(ticks, wake, &awake);
    irq_wait_until(is_awake, &awake);
}
