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

/* Returns the number of slots that the first engine can hold; 0 without an engine. */
uint32_t voting_capacity(void);
