// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/sfu.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint32_t sfu_lanes(void)
{
    const struct levee_block_info* functions = system_block(LEVEE_BLOCK_SFU);
    return functions == NULL ? 0 : mmio_read32(functions->base + LEVEE_SFU_LANES);
}
