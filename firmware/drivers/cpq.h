// SPDX-License-Identifier: Apache-2.0
/* The compression block: its operation inside a descriptor (ip/cpq/regs.h). */
#pragma once

#include "core/abi/descriptor.h"
#include "ip/cpq/regs.h"

static inline struct levee_cpq_operation* cpq_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_cpq_operation*)(void*)descriptor->operation;
}

/* Returns the size in bytes of the first block's scale-zero buffer; 0 if there is no block. */
uint64_t cpq_sz_bytes(void);
