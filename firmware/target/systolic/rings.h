// SPDX-License-Identifier: Apache-2.0
/* On-chip rings, through which operands from another memory pass on their way to the array
 * (ip/rsa/regs.h). The ring of weights lies in the memory with the role weights_ring, that of
 * keys and values in the memory with the role kv_ring. Without the role there is no ring.
 *
 * A quarter of the memory is set aside for each ring before anything else is placed, of which
 * operands of a tiled prefill may take half. In the end the rings share the rest of the memory
 * evenly. In an eDRAM that is divided into keys and values only `kv_cache.staging` is set aside,
 * and the ring uses the rest of both halves after resident slices. Data are divided between the
 * halves so that all banks take part; half of them would have no time left for refreshing. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/hal/space.h"
#include "firmware/target/common.h"
#include "firmware/target/part.h"

/* Places rings in the remaining memory, after everything else. */
void rings_place(struct rings* rings, const struct space* space, const struct cache* cache);

/* The part that machines with systolic arrays have for them. */
extern const struct machine_part part_rings;
