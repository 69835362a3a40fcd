// SPDX-License-Identifier: Apache-2.0
/* The voting engine: its operation inside a descriptor (ip/voting_engine/regs.h). */
#pragma once

#include "core/abi/descriptor.h"
#include "ip/voting_engine/regs.h"

#define VOTE_BYTES 2u

static inline struct levee_ve_operation* voting_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_ve_operation*)(void*)descriptor->operation;
}

/* Number of slots for which the first engine has room; 0 without one. */
uint32_t voting_capacity(void);
