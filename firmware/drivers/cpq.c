// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/cpq.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint64_t cpq_sz_bytes(void)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_CPQ);
    if (block == NULL)
        return 0;
    return (uint64_t)mmio_read32(block->base + LEVEE_CPQ_SZ_BYTES_HI) << 32 |
           mmio_read32(block->base + LEVEE_CPQ_SZ_BYTES);
}
