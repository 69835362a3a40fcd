// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/veda.h"

#include "firmware/hal/mmio.h"

uint32_t veda_arrays(const struct levee_block_info* block)
{
    return mmio_read32(block->base + LEVEE_VEDA_ARRAYS);
}

uint32_t veda_lanes(const struct levee_block_info* block)
{
    return mmio_read32(block->base + LEVEE_VEDA_ROWS) *
           mmio_read32(block->base + LEVEE_VEDA_COLUMNS);
}
