// SPDX-License-Identifier: Apache-2.0
/* Flash that computes: its operation inside a descriptor (ip/flash/regs.h). */
#pragma once

#include "ip/common/descriptor.h"
#include "ip/flash/regs.h"

static inline struct levee_flash_operation* flash_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_flash_operation*)(void*)descriptor->operation;
}
