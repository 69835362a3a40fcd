// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/voting_engine.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint32_t voting_capacity(void)
{
    const struct levee_block_info* engine = system_block(LEVEE_BLOCK_VOTING_ENGINE);
    return engine == NULL ? 0 : mmio_read32(engine->base + LEVEE_VE_CAPACITY);
}
