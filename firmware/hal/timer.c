#include "firmware/hal/timer.h"

#include "firmware/hal/mmio.h"
#include "ip/common/boot_info.h"

/* CLINT: mtime at its usual offset. */
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
