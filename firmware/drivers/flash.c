// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/flash.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

/* Returns the time for moving `bytes` over all channels together. */
static uint64_t channels_ns(const struct levee_block_info* flash, uint64_t bytes)
{
    const uint64_t rate = (uint64_t)mmio_read32(flash->base + LEVEE_FLASH_CHANNELS) *
                          mmio_read32(flash->base + LEVEE_FLASH_CHANNEL_MBPS);
    return rate == 0 ? 0 : bytes * 1000 / rate;
}

uint64_t flash_product_ns(const struct levee_flash_kept* kept)
{
    const struct levee_block_info* flash = system_block(LEVEE_BLOCK_FLASH);
    if (flash == NULL)
        return 0;
    const uint32_t channels = mmio_read32(flash->base + LEVEE_FLASH_CHANNELS);
    const struct levee_flash_matrix matrix =
        levee_flash_matrix_of_kept(kept, channels, mmio_read32(flash->base + LEVEE_FLASH_DIES));
    const struct levee_flash_tiling tiling = levee_flash_tiling_of(&matrix);
    const uint64_t tiles = kept->flash_rows == 0 ? 0 : levee_flash_tile_count(&tiling) + 1;
    const uint64_t computing = tiles * mmio_read32(flash->base + LEVEE_FLASH_READ_NS);
    const uint64_t reading = channels_ns(
        flash, (uint64_t)kept->data_pages * mmio_read32(flash->base + LEVEE_FLASH_PAGE_BYTES));
    return computing > reading ? computing : reading;
}

uint64_t flash_fetch_ns(const struct levee_flash_kept* kept)
{
    const struct levee_block_info* flash = system_block(LEVEE_BLOCK_FLASH);
    return flash == NULL ? 0 : channels_ns(flash, (uint64_t)kept->rows * kept->row_bytes);
}
