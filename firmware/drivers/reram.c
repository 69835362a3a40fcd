// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/reram.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint32_t reram_register(uint32_t offset)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_RERAM);
    return block == NULL ? 0 : mmio_read32(block->base + offset);
}

uint32_t reram_units(uint32_t rows, uint32_t columns, uint32_t bits)
{
    const uint32_t high = reram_register(LEVEE_RERAM_ROWS);
    const uint32_t wide = reram_register(LEVEE_RERAM_COLUMNS);
    const uint32_t units = bits == 16 ? reram_register(LEVEE_RERAM_UNITS_16) : 1;
    return (rows + high - 1) / high * ((columns + wide - 1) / wide) * units;
}
