// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/sfu.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint64_t sfu_elements_per_second(void)
{
    const struct levee_block_info* functions = system_block(LEVEE_BLOCK_SFU);
    if (functions == NULL)
        return 0;
    const uint64_t khz = mmio_read32(functions->base + LEVEE_SFU_CLOCK_KHZ);
    return mmio_read32(functions->base + LEVEE_SFU_LANES) * khz * 1000;
}
