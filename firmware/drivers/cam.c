// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/cam.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

struct cam_build cam_build(void)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_CAM);
    if (block == NULL)
        return (struct cam_build){0};
    return (struct cam_build){
        mmio_read32(block->base + LEVEE_CAM_ROWS),
        mmio_read32(block->base + LEVEE_CAM_COLUMNS),
        mmio_read32(block->base + LEVEE_CAM_ARRAYS),
        mmio_read32(block->base + LEVEE_CAM_CELL_BITS),
    };
}

uint64_t cam_rows(const struct cam_build* build, uint32_t cells)
{
    const uint32_t side_by_side = (cells + build->columns - 1) / build->columns;
    return (uint64_t)(build->arrays / side_by_side) * build->rows;
}
