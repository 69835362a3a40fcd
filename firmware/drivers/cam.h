// SPDX-License-Identifier: Apache-2.0
/* The content-addressable memory: its operation inside a descriptor (ip/cam/regs.h). */
#pragma once

#include "core/abi/descriptor.h"
#include "firmware/drivers/command_queue.h"
#include "ip/cam/regs.h"

static inline struct levee_cam_operation* cam_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_cam_operation*)(void*)descriptor->operation;
}

/* Boot information of the first associative memory; all 0 if there is none. */
struct cam_build {
    uint32_t rows, columns, arrays, cell_bits;
};
struct cam_build cam_build(void);

/* Returns how many proxies with this many cells fit into the memory; 0 if a single proxy does not
 * fit. */
uint64_t cam_rows(const struct cam_build* build, uint32_t cells);
