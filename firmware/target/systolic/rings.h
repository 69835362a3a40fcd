// SPDX-License-Identifier: Apache-2.0
/* Rings on chip: where what comes from another memory passes through on its way to the array
 * (ip/rsa/regs.h). The memory with the role weights_ring has that of weights, the one with the role
 * kv_ring that of keys and values; without the role there is none.
 *
 * A quarter of the memory is set aside for each ring before anything else is placed, of which
 * operands of a tiled prefill may take half. In the end the rings share evenly what everything else
 * has left of the memory. In an eDRAM that is divided into keys and values nothing is set aside but
 * `kv_cache.staging`, and the ring is what resident slices have left of both halves: what passes is
 * divided between them, so that all banks take part, as half of them would have no time left for
 * refreshing. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/hal/space.h"
#include "firmware/target/common.h"
#include "firmware/target/part.h"

/* Places rings in the remaining memory, after everything else. */
void rings_place(struct rings* rings, const struct space* space, const struct cache* cache);

/* The part that machines with systolic arrays have for them. */
extern const struct machine_part part_rings;
